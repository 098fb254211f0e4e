// The kinds of answers, and the headers that each kind always has.
#include "http/message.h"

#include <algorithm>
#include <iterator>

#include "json/writer.h"
#include "util/text.h"

namespace postern::http {
namespace {

constexpr std::pair<Method, std::string_view> kMethods[] = {{Method::get, "GET"},         {Method::head, "HEAD"},
                                                            {Method::post, "POST"},       {Method::delete_, "DELETE"},
                                                            {Method::options, "OPTIONS"}, {Method::other, "OTHER"}};

/// Header names compare without case (RFC 9110 §5.1).
template <class Headers>
auto find_header(Headers& headers, std::string_view name) {
    return std::ranges::find_if(headers,
                                [&](const auto& header) { return util::equal_ignoring_case(header.first, name); });
}

}  // namespace

std::string_view to_string(Method method) {
    return std::ranges::find(kMethods, method, &std::pair<Method, std::string_view>::first)->second;
}

Method parse_method(std::string_view name) {
    const auto found = std::ranges::find(kMethods, name, &std::pair<Method, std::string_view>::second);
    return found == std::end(kMethods) ? Method::other : found->first;
}

std::string_view Request::variable(std::string_view name) const {
    const auto found = server_variables.find(name);
    return found == server_variables.end() ? std::string_view() : std::string_view(found->second);
}

void Response::set(std::string_view name, std::string value) {
    const auto found = find_header(headers, name);
    if (found == headers.end()) {
        headers.emplace_back(name, std::move(value));
    } else {
        found->second = std::move(value);
    }
}

void Response::add(std::string name, std::string value) { headers.emplace_back(std::move(name), std::move(value)); }

const std::string* Response::find(std::string_view name) const {
    const auto found = find_header(headers, name);
    return found == headers.end() ? nullptr : &found->second;
}

Response see_other(std::string absolute_url) {
    Response response;
    response.status = 303;
    response.set("Location", std::move(absolute_url));
    return response;
}

Response json(const json::Value& body, int status) {
    Response response;
    response.status = status;
    response.set("Content-Type", "application/json");
    response.body = json::write(body);
    return response;
}

Response html(std::string page, int status, const std::string& style_hash, const std::string& script_hashes,
              Pictures pictures, const std::vector<std::string>& frame_sources) {
    Response response;
    response.status = status;
    response.set("Content-Type", "text/html; charset=utf-8");
    std::string script;
    for (const char c : script_hashes) script += c == ' ' ? std::string("' '") : std::string(1, c);
    if (!script.empty()) script = "script-src '" + script + "'; ";
    // No form-action: Chromium applies it to the redirect that follows the form, which leads to the client.
    const char* images = pictures == Pictures::data ? "img-src data:; " : "";
    std::string frames;
    for (const std::string& source : frame_sources) frames.append(frames.empty() ? "frame-src " : " ").append(source);
    if (!frames.empty()) frames += "; ";
    response.set("Content-Security-Policy", "default-src 'none'; " + script + "style-src '" + style_hash + "'; " +
                                                images + frames + "base-uri 'none'; frame-ancestors 'none'");
    response.set("X-Frame-Options", "DENY");  // RFC 9700 §4.16, for browsers without frame-ancestors
    response.body = std::move(page);
    return response;
}

}  // namespace postern::http
