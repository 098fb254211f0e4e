// Parsers of a request's syntax.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "gateway/address.h"
#include "gateway/body.h"
#include "gateway/variables.h"
#include "http/headers.h"
#include "http/params.h"
#include "server/request_parser.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::test {
namespace {

bool is_base64url(std::string_view text) {
    return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == text.npos;
}

/// The names that occur, decoded, so that every parameter is asked for.
std::vector<std::string> names_in(std::string_view text) {
    std::vector<std::string> names;
    for (const std::string_view pair : util::split(text, '&')) {
        if (auto name = util::form_decode(pair.substr(0, pair.find('=')))) names.push_back(std::move(*name));
    }
    return names;
}

}  // namespace

FUZZ_TARGET(parameters) {
    constexpr std::size_t kMost = 64;
    const auto params = http::Params::parse(input, kMost);
    if (!params) return;
    std::size_t given = 0;
    for (const std::string& name : names_in(input)) {
        const auto value = params->find(name);
        if (!value) continue;
        ++given;
        promise(!value->empty(), "a value is never an empty string");
        promise(!util::has_control_bytes(*value), "a value holds no control bytes");
        promise(!params->fault_of(name), "what has a fault has no value");
    }
    promise(given <= kMost, "there are no more parameters than allowed");
}

FUZZ_TARGET(cookie) {
    for (const std::string_view name : {"__Host-postern-0a1b2c3d", "a", ""}) {
        const auto value = http::find_cookie(input, name);
        if (!value) continue;
        promise(value->size() <= 128 && is_base64url(*value), "a cookie is short base64url");
        promise(input.find(*value) != input.npos, "a cookie's value was sent");
    }
    for (const std::string_view prefix : {"__Host-postern-0a1b2c3d", "a", ""})
        for (const http::NamedCookie& cookie : http::find_cookies(input, prefix)) {
            promise(cookie.name.starts_with(prefix), "a cookie's name begins so");
            promise(http::find_cookie(input, cookie.name) == cookie.value, "it has the value that its name alone has");
        }
}

/// The input is the environment, an entry a line, and behind an empty line the body.
FUZZ_TARGET(cgi_request) {
    const std::size_t end = std::min(input.find("\n\n"), input.size());
    std::vector<std::string> entries;
    for (const std::string_view line : util::split(input.substr(0, end), '\n')) entries.emplace_back(line);
    std::vector<const char*> environment;
    for (const std::string& entry : entries) environment.push_back(entry.c_str());
    environment.push_back(nullptr);

    server::RequestRules rules;
    rules.paths = http::served_paths("https://id.example.org/auth", {"/token"});
    rules.methods = {http::Method::get, http::Method::post};
    gateway::Body body;
    body.bytes = std::string(input.substr(std::min(end + 2, input.size())));
    const gateway::Variables variables = gateway::collect_variables(environment.data());
    const auto client = gateway::client_address(variables.get("REMOTE_ADDR"), variables.get("HTTP_X_FORWARDED_FOR"),
                                                {"127.0.0.1", "::1"});
    promise(!util::has_control_bytes(client.address + client.unknown_because), "an address is text for a log");
    promise(client.address.empty() != client.unknown_because.empty(), "an address is known, or it is said why not");
    const auto request = server::parse_request(variables, body, rules);
    if (!request) {
        promise(request.error().status >= 400 && request.error().status < 500, "a refusal is the caller's fault");
        return;
    }
    promise(std::ranges::find(rules.methods, request->method) != rules.methods.end(), "other methods are refused");
    if (request->authorization)
        promise(request->authorization->find(',') == std::string::npos, "two Authorization headers are refused");
}

}  // namespace postern::test
