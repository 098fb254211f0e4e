// Parsers of what clients send.
#include <algorithm>
#include <string>

#include "fuzz/targets.h"
#include "http/url.h"
#include "json/reader.h"
#include "oauth/authorization_request.h"
#include "oauth/client_auth.h"
#include "oauth/presented_token.h"
#include "oauth/redirect_rules.h"
#include "oauth/redirect_uri.h"
#include "oauth/registration.h"
#include "oauth/registration_request.h"
#include "oauth/token_request.h"
#include "oauth/user_code.h"
#include "support/rules_fixture.h"
#include "util/text.h"

namespace postern::test {
namespace {

/// A client of each kind, made once: no target changes anything.
RulesFixture& fixture() {
    static RulesFixture instance;
    static const bool filled = [] {
        instance.add_confidential("web", "https://app.example/cb", std::string(43, 's'));
        instance.add_public("app", "http://127.0.0.1/cb");
        return true;
    }();
    promise(filled, "the clients are there");
    return instance;
}

/// The characters that RFC 6749 §5.2 and §4.1.2.1 allow in an error_description.
bool is_describable(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

http::Request request_of(std::string_view input) {
    // First line: the Authorization header, when it says something. The rest is the form.
    const std::size_t end = std::min(input.find('\n'), input.size());
    http::Request request;
    request.method = http::Method::post;
    if (end > 0) request.authorization = std::string(input.substr(0, end));
    request.body = http::BodyKind::form;
    if (auto form = http::Params::parse(input.substr(std::min(end + 1, input.size())), 64)) request.form = *form;
    return request;
}

}  // namespace

FUZZ_TARGET(user_code) {
    const auto letters = oauth::parse_user_code(input);
    if (!letters) return;
    promise(letters->size() == oauth::kUserCodeLetters, "a code has eight letters");
    promise(letters->find_first_not_of(oauth::kUserCodeAlphabet) == std::string::npos, "of the alphabet");
    promise(oauth::parse_user_code(oauth::shown_user_code(*letters)) == letters, "it is read as it is shown");
}

FUZZ_TARGET(registration_request) {
    const auto value = json::parse(input);
    if (!value || value->if_object() == nullptr) return;
    oauth::Settings settings = fixture().settings;
    settings.registration.hosts = {"app.example", "*.apps.example"};
    for (const auto registrant : {oauth::Registrant::token_holder, oauth::Registrant::stranger}) {
        const auto client = oauth::read_registration(*value->if_object(), settings, registrant);
        if (!client) {
            promise(is_describable(client.error().description), "a description obeys RFC 6749 §5.2");
            continue;
        }
        const bool is_public = client->type == model::ClientType::public_;
        promise(!client->first_party && client->enabled && client->resources.empty(),
                "the operator decides about these");
        promise(!is_public || client->pkce == model::Pkce::required, "a public client has PKCE");
        promise(is_public || registrant == oauth::Registrant::token_holder, "a stranger's client is public");
        for (const std::string& uri : client->redirect_uris)
            promise(!oauth::redirect_uri_problem(uri, client->native), "its addresses could be registered by hand");
        auto named = *client;
        named.id = model::ClientId("registered");
        promise(oauth::registration_problems(named, settings).empty(), "and so could all of it");
    }
}

FUZZ_TARGET(credentials) {
    const http::Request request = request_of(input);
    const auto credentials = oauth::parse_credentials(request);
    if (!credentials)
        promise(is_describable(credentials.error().description), "a description obeys RFC 6749 §5.2");
    else
        promise(credentials->readings.size() <= 2, "a header has two readings at most");
    if (auto token_request = oauth::parse_token_request(fixture().settings.paths, request); !token_request)
        promise(is_describable(token_request.error().description), "a description obeys RFC 6749 §5.2");
    if (auto presented = oauth::parse_presented_token(request, 8192); presented && presented->token)
        if (presented->token->value) promise(presented->token->value->size() <= 8192, "a long token is no token");
}

FUZZ_TARGET(authorization_request) {
    const auto params = http::Params::parse(input, 64);
    if (!params) return;
    oauth::Context context = fixture().context();
    const auto target = oauth::verify_redirect(context, *params);
    if (!target) return;
    promise(oauth::match_redirect_uri(target->client(), target->uri()).has_value(),
            "an answer goes to a registered address");
    const auto request = oauth::parse_authorization_request(context, *target, *params);
    if (!request) {
        promise(is_describable(request.error().description), "a description obeys RFC 6749 §4.1.2.1");
        return;
    }
    promise(request->redirect_uri == target->uri(), "the request keeps the verified address");
    promise(request->scope.is_subset_of(target->client().scope) || params->find("scope").has_value(),
            "without a scope parameter nothing but the registered scopes is asked for");
    if (target->client().type == model::ClientType::public_)
        promise(request->response_type != model::ResponseType::code || request->code_challenge.has_value(),
                "a public client's code is bound by PKCE");
    if (request->state) promise(request->state->size() <= oauth::kMaxStateBytes, "a state is bounded");
}

FUZZ_TARGET(redirect_uri) {
    model::Client client;
    client.redirect_uris = {"https://app.example/cb", "http://127.0.0.1/cb", "http://[::1]:7000/cb?a=1",
                            "com.example:/cb"};
    for (const bool native : {false, true}) {
        client.native = native;
        const auto matched = oauth::match_redirect_uri(client, input);
        if (!matched) continue;
        if (std::ranges::find(client.redirect_uris, *matched) != client.redirect_uris.end()) continue;
        const auto url = http::parse_url(*matched);
        promise(native && url && http::is_loopback_http(*url), "only a native client's loopback port may differ");
        promise(url->path == "/cb" && !url->has_user_info && !url->fragment, "and nothing but the port");
    }
    for (const bool native : {false, true}) {
        if (oauth::redirect_uri_problem(input, native)) continue;
        const auto url = http::parse_url(input);
        promise(url.has_value(), "a registered address is a URL");
        promise(!url->fragment && !url->has_user_info, "it has neither fragment nor user");
        promise(url->scheme != "javascript" && url->scheme != "data" && url->scheme != "file",
                "it runs and reads nothing");
        promise(!util::has_control_bytes(input) && input.find('*') == input.npos, "it is spelled out");
    }
}

}  // namespace postern::test
