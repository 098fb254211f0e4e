// A browser as far as this protocol needs one.
#include "support/user_agent.h"

#include <doctest/doctest.h>

#include "support/html.h"
#include "util/text.h"

namespace postern::test {
namespace {

constexpr int kMostRedirects = 8;

/// The endpoint whose path the URL has; "" for an address that is not the server's.
std::string endpoint_at(const Deployment& deployment, const std::string& url) {
    for (const char* endpoint :
         {"authorize", "login", "scopes", "userinfo", "discovery", "jwks", "token", "logout", "recover", "device"})
        if (without_query(url) == deployment.url(endpoint)) return endpoint;
    if (without_query(url) + "/link" == deployment.url("recover")) return "recover";  // where one is asked for
    const std::string account = deployment.url("account");
    return without_query(url) == account || url.starts_with(account + "/") ? "account" : "";
}

std::string query_of(const std::string& url) {
    const auto mark = url.find('?');
    return mark == std::string::npos ? "" : url.substr(mark + 1);
}

constexpr const char* kOfBrowser = "-browser-";
constexpr const char* kOfDevice = "-device-";

/// RFC 6265bis §4.1.3.2: what a browser demands of a cookie with this prefix.
void check_host_prefix(const std::string& name, const std::vector<std::string>& attributes) {
    if (!name.starts_with("__Host-")) return;
    bool secure = false;
    bool root = false;
    for (const std::string& attribute : attributes) {
        secure |= attribute == "Secure";
        root |= attribute == "Path=/";
        CHECK_FALSE(attribute.starts_with("Domain"));
    }
    CHECK_MESSAGE((secure && root), "a browser would drop the cookie " << name);
}

/// The form that the page of form_post sends by itself (OAuth 2.0 Form Post Response Mode §2).
std::optional<Form> self_sent_form(const Answer& answer) {
    if (answer.status != 200 || answer.body.find("<script>") == std::string::npos) return std::nullopt;
    auto form = find_form(answer.body);
    if (form && form->action.empty()) return std::nullopt;  // it posts to the page itself
    return form;
}

}  // namespace

std::optional<Landing> leave(const Deployment& deployment, const Answer& answer) {
    Landing landing;
    landing.answer = answer;
    landing.left = true;
    if (const auto form = self_sent_form(answer)) {
        landing.url = form->action;
        landing.mode = "form_post";
        landing.posted = form->fields;
    } else if (answer.status == 303 || answer.status == 302) {
        landing.url = answer.location();
        landing.mode = landing.url.find('#') == std::string::npos ? "query" : "fragment";
    }
    if (landing.mode.empty() || !endpoint_at(deployment, landing.url).empty()) return std::nullopt;
    return landing;
}

std::string Landing::parameter(std::string_view name) const {
    if (mode == "fragment") return fragment_parameter(url, name).value_or("");
    if (mode != "form_post") return query_parameter(url, name).value_or("");
    const auto found = posted.find(std::string(name));
    return found == posted.end() ? "" : found->second;
}

std::string Landing::verdict() const {
    if (left) {
        const std::string error = parameter("error");
        if (!error.empty()) return error;
        if (!parameter("access_token").empty()) return "token";
        if (!parameter("code").empty()) return "code";
        return parameter("id_token").empty() ? "nothing" : "id_token";
    }
    if (answer.status != 200) return "page " + std::to_string(answer.status);
    if (has_id(answer.body, "password")) return "login";
    if (has_id(answer.body, "verify") || has_id(answer.body, "use-passkey")) return "second step";
    if (has_id(answer.body, "turn-on")) return "app";
    if (has_id(answer.body, "add-passkey")) return "new passkey";
    if (has_id(answer.body, "codes")) return "codes";
    if (has_id(answer.body, "logout")) return "logout";
    return has_id(answer.body, "approve") ? "consent" : "page 200";
}

UserAgent::UserAgent(const Deployment& deployment, std::string address)
    : deployment_(deployment), address_(std::move(address)) {}

Answer UserAgent::fetch(const std::string& url) { return exchange(url, get_request(query_of(url))); }

Answer UserAgent::send(const std::string& url, const std::string& form,
                       const std::vector<std::pair<std::string, std::string>>& headers) {
    CgiRequest request = post_form(form);
    request.query = query_of(url);
    request.headers = headers;
    return exchange(url, std::move(request));
}

Answer UserAgent::exchange(const std::string& url, CgiRequest request) {
    const std::string endpoint = endpoint_at(deployment_, url);
    REQUIRE_MESSAGE(!endpoint.empty(), "not an address of the server: " << url);
    std::string cookie;
    for (const auto& [name, value] : cookies_) cookie += (cookie.empty() ? "" : "; ") + name + "=" + value;
    if (!cookie.empty()) request.headers.emplace_back("Cookie", cookie);
    if (!accept_language_.empty()) request.headers.emplace_back("Accept-Language", accept_language_);
    request.address = address_;
    if (endpoint == "login") request.variables = login_variables_;
    if (endpoint == "account")
        request.path = deployment_.base_path() + deployment_.path_of("account") +
                       without_query(url).substr(deployment_.url("account").size());
    if (endpoint == "recover")
        request.path = deployment_.base_path() + without_query(url).substr(deployment_.issuer().size());
    Answer answer = deployment_.cgi(endpoint, request);
    take_cookies(answer);
    return answer;
}

void UserAgent::take_cookies(const Answer& answer) {
    for (const std::string& header : answer.all("Set-Cookie")) {
        std::vector<std::string> parts;
        for (const auto part : util::split(header, ';')) parts.emplace_back(util::trim(part));
        const auto equals = parts.front().find('=');
        REQUIRE(equals != std::string::npos);
        const std::string name = parts.front().substr(0, equals);
        check_host_prefix(name, parts);
        const bool removed = header.find("Max-Age=0") != std::string::npos;
        if (removed)
            cookies_.erase(name);
        else
            cookies_[name] = parts.front().substr(equals + 1);
    }
}

Landing UserAgent::follow(const std::string& url, Answer answer) {
    Landing landing;
    landing.url = url;
    landing.visited.push_back(url);
    for (int i = 0; i < kMostRedirects; ++i) {
        if (auto left = leave(deployment_, answer)) {
            left->visited = std::move(landing.visited);
            return *left;
        }
        if (answer.status != 303 && answer.status != 302) break;
        landing.url = answer.location();
        landing.visited.push_back(landing.url);
        answer = fetch(landing.url);
    }
    landing.answer = std::move(answer);
    return landing;
}

Landing UserAgent::open(const std::string& url) { return follow(url, fetch(url)); }

Landing UserAgent::authorize(const Query& request) { return open(deployment_.url("authorize") + "?" + request.text()); }

std::string UserAgent::form_of(const Landing& page, const std::string& button,
                               const std::map<std::string, std::string>& typed) const {
    const auto form = find_form_with(page.answer.body, button);
    REQUIRE_MESSAGE(form.has_value(), "no form with " << button << ": " << visible_text(page.answer.body));
    CHECK(form->method == "post");
    Query fields;
    for (const auto& [name, value] : form->fields) {
        const auto own = typed.find(name);
        fields = fields.with(name, own == typed.end() ? value : own->second);
    }
    for (const auto& [name, value] : form->boxes)
        if (typed.contains(name)) fields = fields.with(name, value);
    for (const Attributes& attributes : form->buttons) {
        if (!attributes.contains("id") || attributes.at("id") != button) continue;
        if (attributes.contains("name")) fields = fields.with(attributes.at("name"), attributes.at("value"));
    }
    return fields.text();
}

Landing UserAgent::submit(const Landing& page, const std::string& button,
                          const std::map<std::string, std::string>& typed) {
    const std::string text = form_of(page, button, typed);
    std::string action = find_form_with(page.answer.body, button)->action;
    if (action.empty()) action = page.url;  // as browsers do
    return follow(action, send(action, text));
}

Landing UserAgent::log_in(const Landing& page, const std::string& username, const std::string& password) {
    return submit(page, "login", {{"username", username}, {"password", password}});
}

Landing UserAgent::sign_in(const Query& request) {
    Landing landing = authorize(request);
    if (landing.verdict() == "login") landing = log_in(landing);
    if (landing.verdict() == "consent") landing = approve(landing);
    return landing;
}

std::string UserAgent::obtain_code(const Query& request) {
    const Landing landing = sign_in(request);
    REQUIRE_MESSAGE(landing.verdict() == "code", landing.verdict() << ": " << landing.answer.log);
    return landing.parameter("code");
}

std::string UserAgent::cookie_named(const std::string& infix) const {
    for (const auto& [name, value] : cookies_)
        if (name.find(infix) != std::string::npos) return value;
    return "";
}

std::string UserAgent::session_cookie() const {
    for (const auto& [name, value] : cookies_)
        if (name.find(kOfBrowser) == std::string::npos && name.find(kOfDevice) == std::string::npos) return value;
    return "";
}
std::string UserAgent::browser_cookie() const { return cookie_named(kOfBrowser); }
std::string UserAgent::device_cookie() const { return cookie_named(kOfDevice); }

}  // namespace postern::test
