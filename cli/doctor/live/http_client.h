// Sends HTTP requests with the program curl, within a bounded time
// (docs/decisions/0019-doctor-asks-with-curl.md).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/clock.h"

namespace postern::cli {

struct HttpRequest {
    std::string url;
    std::string method = "GET";
    std::vector<std::string> headers = {};                          ///< "Name: value"
    std::optional<std::string> form = {};                           ///< the body, form-encoded
    std::vector<std::pair<std::string, std::string>> options = {};  ///< curl options; "" for those without a value
};

struct HttpResponse {
    int failure = 0;      ///< curl's exit code; 0: a response arrived
    std::string message;  ///< curl's error message
    std::string trace;    ///< curl's log of the connection, with its option "verbose"
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    util::Time sent_at{};
    util::Time received_at{};

    std::vector<std::string> all(std::string_view name) const;  ///< names compare without case
    std::string first(std::string_view name) const;             ///< "" when absent
    bool has(std::string_view name) const { return !all(name).empty(); }
};

inline constexpr int kOutOfTime = -1;  ///< HttpResponse::failure: the time for all requests together is over

/// Options of every request.
struct WebAccess {
    std::string ca_file;     ///< PEM of a private certificate authority; "": those of the system
    std::string connect_to;  ///< HOST:PORT to connect to instead of the URL's; "" for the URL's
};

class WebClient {
public:
    WebClient(WebAccess access, std::chrono::seconds patience);

    /// Does not follow redirects, keep cookies or use a proxy. Throws std::system_error if curl cannot be started.
    HttpResponse send(const HttpRequest& request) const;

private:
    std::string curl_config(const HttpRequest& request, std::chrono::milliseconds time) const;

    WebAccess access_;
    std::chrono::steady_clock::time_point deadline_;
};

/// Splits curl's output into status, headers and body; interim responses are skipped (RFC 9110 §15.2).
void parse_response(std::string_view text, HttpResponse& response);

}  // namespace postern::cli
