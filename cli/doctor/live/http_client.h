// Asks a web server as a stranger would: through the program curl, within a bounded time
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
    std::vector<std::pair<std::string, std::string>> options = {};  ///< of curl; "" for those without a value
};

struct HttpResponse {
    int failure = 0;        ///< curl's exit code: 0 when there was an answer
    std::string complaint;  ///< curl's words about the failure
    std::string trace;      ///< what curl says about the connection when the question has its option "verbose"
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    util::Time asked_at{};
    util::Time answered_at{};

    std::vector<std::string> all(std::string_view name) const;  ///< names compare without case
    std::string first(std::string_view name) const;             ///< "" when absent
    bool has(std::string_view name) const { return !all(name).empty(); }
};

inline constexpr int kOutOfTime = -1;  ///< HttpResponse::failure: the time for all requests together is over

/// How every question is asked.
struct WebAccess {
    std::string authority_file;  ///< PEM of a private authority; "" for those of the system
    std::string connect_to;      ///< HOST:PORT to connect to instead of the URL's; "" for the URL's
};

class WebClient {
public:
    WebClient(WebAccess access, std::chrono::seconds patience);

    /// Follows no redirect, keeps no cookie, uses no proxy. Throws std::system_error when curl cannot be started.
    HttpResponse ask(const HttpRequest& question) const;

private:
    std::string describe(const HttpRequest& question, std::chrono::milliseconds time) const;

    WebAccess access_;
    std::chrono::steady_clock::time_point deadline_;
};

/// Headers and body as they came, the last answer if there are interim ones (RFC 9110 §15.2).
void parse_web_answer(std::string_view text, HttpResponse& answer);

}  // namespace postern::cli
