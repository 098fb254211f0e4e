// Reads the question of a web server. What a browser may write (Host, REQUEST_URI of a sub-request, headers) is not
// looked at where the web server's configuration has to say it.
#include "gate/question.h"

#include <algorithm>
#include <optional>

#include "gate/location.h"
#include "gate/site_url.h"
#include "util/text.h"

namespace postern::gate {
namespace {

constexpr const char* kSite = "POSTERN_GATE_SITE";
constexpr const char* kUri = "POSTERN_GATE_URI";
constexpr const char* kMethod = "POSTERN_GATE_METHOD";
constexpr const char* kPage = "POSTERN_GATE_PAGE";
constexpr const char* kForwardedMethod = "HTTP_X_FORWARDED_METHOD";
constexpr const char* kForwardedProto = "HTTP_X_FORWARDED_PROTO";
constexpr const char* kForwardedHost = "HTTP_X_FORWARDED_HOST";
constexpr const char* kForwardedUri = "HTTP_X_FORWARDED_URI";
constexpr const char* kRequestUri = "REQUEST_URI";
constexpr const char* kRequestMethod = "REQUEST_METHOD";

using Problem = QuestionProblem;

Problem problem(const char* name, std::string_view what) { return {std::string(name).append(what)}; }

/// nginx passes variables that are empty.
std::optional<std::string> find(const Variables& variables, const char* name) {
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.empty()) return std::nullopt;
    return found->second;
}

util::Result<std::string, Problem> require(const Variables& variables, const char* name) {
    auto value = find(variables, name);
    if (!value) return problem(name, " is missing: the web server's configuration has to pass it");
    return std::move(*value);
}

bool is_token(std::string_view text) {
    return !text.empty() && text.size() <= 32 &&
           std::ranges::all_of(text, [](char c) { return util::is_letter(c) || c == '-'; });
}

util::Result<Question, Problem> make(Way way, const std::string& origin, std::string_view target, std::string method) {
    const auto known = parse_origin(origin);
    if (!known) return Problem{"\"" + origin.substr(0, 200) + "\" is not an origin such as https://wiki.example.org"};
    if (!is_token(method)) return Problem{"the method is not one"};
    const auto [path, query] = split_target(target);
    return Question{way, *known, std::string(path), std::string(query), std::move(method)};
}

/// Of the web server's own request: AUTHORIZER, and the addresses below `.postern/`.
util::Result<Question, Problem> of_request(Way way, const Variables& variables) {
    for (const char* name : {kUri, kMethod, kPage})
        if (find(variables, name))
            return problem(name, " is for sub-requests; here REQUEST_URI and REQUEST_METHOD are the question");
    ASSIGN_OR_RETURN(const auto site, require(variables, kSite));
    ASSIGN_OR_RETURN(const auto target, require(variables, kRequestUri));
    ASSIGN_OR_RETURN(const auto method, require(variables, kRequestMethod));
    return make(way, site, target, method);
}

util::Result<Question, Problem> of_subrequest(const Variables& variables) {
    ASSIGN_OR_RETURN(const auto site, require(variables, kSite));
    ASSIGN_OR_RETURN(const auto target, require(variables, kUri));
    ASSIGN_OR_RETURN(const auto method, require(variables, kMethod));
    const auto page = find(variables, kPage);
    if (page && *page != "yes") return problem(kPage, " is neither absent nor yes");
    return make(page ? Way::page : Way::subrequest, site, target, method);
}

/// A header that came twice arrives with its values joined by a comma and a blank, or by a comma (RFC 9110 §5.3).
util::Result<std::string, Problem> require_single(const Variables& variables, const char* name) {
    ASSIGN_OR_RETURN(auto value, require(variables, name));
    if (value.find_first_of(", \t") != value.npos) return problem(name, " has more than one value");
    return value;
}

/// A comma may stand in a path.
util::Result<std::string, Problem> require_uri(const Variables& variables) {
    ASSIGN_OR_RETURN(auto value, require(variables, kForwardedUri));
    if (value.find_first_of(" \t") != value.npos) return problem(kForwardedUri, " has white space");
    return value;
}

util::Result<std::string, Problem> forwarded_origin(const Variables& variables) {
    ASSIGN_OR_RETURN(const auto scheme, require_single(variables, kForwardedProto));
    ASSIGN_OR_RETURN(const auto host, require_single(variables, kForwardedHost));
    if (scheme != "https" && scheme != "http") return problem(kForwardedProto, " is neither https nor http");
    return scheme + "://" + host;
}

Problem not_believed() {
    return {
        "POSTERN_GATE_SITE is missing, and the peer is not in gate.proxies, so that its X-Forwarded-* headers are not "
        "believed"};
}

util::Result<Question, Problem> of_proxy(const Variables& variables, const Proxy& proxy) {
    if (!proxy.is_believed) return not_believed();
    ASSIGN_OR_RETURN(const auto origin, forwarded_origin(variables));
    ASSIGN_OR_RETURN(const auto target, require_uri(variables));
    ASSIGN_OR_RETURN(const auto method, require_single(variables, kForwardedMethod));
    return make(Way::forwarded, origin, target, method);
}

/// The proxy has put a path in front of that of the browser, which is the reason to believe the rest of it.
util::Result<Question, Problem> of_proxied_page(const Variables& variables, const Proxy& proxy) {
    if (!proxy.is_believed) return not_believed();
    ASSIGN_OR_RETURN(const auto origin, forwarded_origin(variables));
    ASSIGN_OR_RETURN(const auto target, require(variables, kRequestUri));
    ASSIGN_OR_RETURN(const auto method, require(variables, kRequestMethod));
    if (!target.starts_with(proxy.pages_path)) return problem(kRequestUri, " is not below the path of the pages");
    return make(Way::own, origin, std::string_view(target).substr(proxy.pages_path.size()), method);
}

}  // namespace

std::vector<std::string> question_variables() {
    return {kSite,           kUri,           kMethod,       kPage,       kForwardedMethod,
            kForwardedProto, kForwardedHost, kForwardedUri, kRequestUri, kRequestMethod};
}

util::Result<Question, QuestionProblem> parse_question(Route route, const Variables& variables, const Proxy& proxy) {
    if (route == Route::authorizer) return of_request(Way::authorizer, variables);
    const bool is_configured = find(variables, kSite) || find(variables, kUri) || find(variables, kMethod);
    if (route == Route::pages)
        return is_configured ? of_request(Way::own, variables) : of_proxied_page(variables, proxy);
    return is_configured ? of_subrequest(variables) : of_proxy(variables, proxy);
}

}  // namespace postern::gate
