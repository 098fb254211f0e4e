// A request as a test makes it, for a program that a web server would start.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace postern::test {

struct CgiRequest {
    std::string method = "GET";
    std::string query;
    std::string body;
    std::string content_type;
    std::vector<std::pair<std::string, std::string>> headers;
    std::optional<std::string> path;  ///< raw request path; nullopt: the endpoint's own
    std::string address = "192.0.2.1";
    /// CGI variables that replace the proper ones; nullopt takes one away.
    std::map<std::string, std::optional<std::string>> variables;
    std::optional<std::filesystem::path> program;  ///< nullopt: the endpoint's executable as it was built
    std::vector<std::string> arguments;            ///< what a server makes of a query without "="
    bool obeys_modes = false;                      ///< run by root, the program gets no power over file modes
};

}  // namespace postern::test
