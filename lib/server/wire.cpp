// The one place that turns a response into bytes for the web server (RFC 3875 §6).
#include "server/wire.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "util/text.h"

namespace postern::server {
namespace {

bool is_alphanumeric(char c) { return util::is_letter(c) || util::is_digit(c); }

std::string_view phrase_of(int status) {
    constexpr std::pair<int, std::string_view> kPhrases[] = {
        {200, "OK"},
        {201, "Created"},
        {204, "No Content"},
        {302, "Found"},
        {303, "See Other"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {411, "Length Required"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
    };
    const auto found = std::ranges::find(kPhrases, status, &std::pair<int, std::string_view>::first);
    return found == std::end(kPhrases) ? "Status" : found->second;
}

/// Set here alone, or an order to the web server that no answer of ours gives.
bool is_reserved(std::string_view name) {
    constexpr std::string_view kReserved[] = {
        "status",           "content-length",       "transfer-encoding",
        "connection",       "x-request-id",         "x-sendfile",
        "x-sendfile2",      "x-lighttpd-send-file", "x-lighttpd-send-tempfile",
        "x-accel-redirect",
    };
    return std::ranges::any_of(kReserved, [&](auto reserved) { return util::equal_ignoring_case(name, reserved); });
}

/// scheme ":" something, printable ASCII without blanks (RFC 3986 §3.1; private-use schemes have no "//").
bool is_absolute_uri(std::string_view url) {
    const std::size_t colon = url.find(':');
    if (colon == url.npos || colon == 0 || colon + 1 == url.size()) return false;
    const std::string_view scheme = url.substr(0, colon);
    const auto allowed = [](char c) { return is_alphanumeric(c) || c == '+' || c == '-' || c == '.'; };
    return util::is_letter(scheme.front()) && std::ranges::all_of(scheme, allowed) && util::is_vschar(url) &&
           url.find(' ') == url.npos;
}

void check_header(const std::string& name, const std::string& value) {
    const auto allowed = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; };
    const bool token = !name.empty() && std::ranges::all_of(name, allowed);
    if (!token || is_reserved(name)) throw std::logic_error("a response may not set this header: " + name);
    if (util::equal_ignoring_case(name, "location")) {  // no control byte is part of a URI
        if (!is_absolute_uri(value)) throw std::logic_error("Location is not absolute");
    } else if (util::has_control_bytes(value)) {
        throw std::logic_error("control byte in the value of " + name);
    }
}

void append(std::string& wire, std::string_view name, std::string_view value) {
    wire.append(name).append(": ").append(value).append("\r\n");
}

void append_common(std::string& wire, const http::Response& response, const WireFacts& facts) {
    const bool caching_decided = response.find("Cache-Control") != nullptr;
    const struct {
        bool wanted;
        std::string_view name;
        std::string_view value;
    } rows[] = {
        {!caching_decided, "Cache-Control", "no-store"},  // RFC 6749 §5.1
        {!caching_decided, "Pragma", "no-cache"},
        {true, "X-Content-Type-Options", "nosniff"},
        {true, "Referrer-Policy", "no-referrer"},  // RFC 9700 §4.2.4
        {facts.https, "Strict-Transport-Security", "max-age=31536000"},
        {true, "X-Request-Id", facts.request_id},
    };
    for (const auto& row : rows) {
        if (row.wanted && response.find(row.name) == nullptr) append(wire, row.name, row.value);
    }
}

bool has_no_content(int status) { return status == 204 || status == 304; }  // RFC 9110 §8.6: no Content-Length either

}  // namespace

std::string to_wire(const http::Response& response, const WireFacts& facts) {
    if (response.status < 200 || response.status > 599) throw std::logic_error("status out of range");
    if (!response.body.empty() && (has_no_content(response.status) || response.find("Content-Type") == nullptr)) {
        throw std::logic_error("a body that must not be there, or has no Content-Type");
    }
    if (util::has_control_bytes(facts.request_id)) throw std::logic_error("control byte in the request id");

    std::string wire;
    wire.reserve(512 + response.body.size());
    append(wire, "Status", std::to_string(response.status).append(" ").append(phrase_of(response.status)));
    for (const auto& header : response.headers) {
        check_header(header.first, header.second);
        append(wire, header.first, header.second);
    }
    if (!response.is_bare) append_common(wire, response, facts);
    if (!response.is_bare && !has_no_content(response.status))
        append(wire, "Content-Length", std::to_string(response.body.size()));
    wire += "\r\n";
    if (!facts.head) wire += response.body;
    return wire;
}

std::string bare_failure() {
    return "Status: 500 Internal Server Error\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n"
           "X-Content-Type-Options: nosniff\r\nContent-Length: 22\r\n\r\nInternal Server Error\n";
}

std::string bare_unavailability() {
    return "Status: 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n"
           "X-Content-Type-Options: nosniff\r\nContent-Length: 20\r\n\r\nService Unavailable\n";
}

}  // namespace postern::server
