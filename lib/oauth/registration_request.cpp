// Reads a registration request: a table of steps in a fixed order, each about a few members.
#include "oauth/registration_request.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fetch/allowed.h"
#include "http/url.h"
#include "oauth/audience.h"
#include "oauth/client_id_url.h"
#include "oauth/logout_uris.h"
#include "oauth/redirect_rules.h"
#include "oauth/registered_name.h"
#include "oauth/registration.h"
#include "oauth/scope_policy.h"
#include "refusal/reason.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using json::Object;
using json::Value;
using model::ApplicationType;
using model::AuthMethod;
using model::Client;
using model::GrantType;
using model::ResponseType;
using refusal::Reason;

/// The arguments of a step.
struct Asked {
    const Object& request;
    const Settings& settings;
    Registrant registrant;

    bool is_of_stranger() const { return registrant == Registrant::stranger; }
};

OAuthError refuse(std::string description, std::string detail = {}) {
    return make_error(ErrorCode::invalid_client_metadata, std::move(description), std::move(detail));
}
OAuthError not_offered(std::string_view member) {
    return make_error(Reason::invalid_client_metadata_not_offered, "a member demands what this server does not offer",
                      "member: " + util::displayable(member));
}
OAuthError refuse_redirect_uri(std::string description, std::string detail = {}) {
    return make_error(ErrorCode::invalid_redirect_uri, std::move(description), std::move(detail));
}

/// The member, unless it is null.
const Value* find(const Asked& asked, std::string_view member) {
    const Value* value = asked.request.find(member);
    return value != nullptr && value->is_null() ? nullptr : value;
}

Outcome<std::optional<std::string>> text_of(const Asked& asked, std::string_view member) {
    const Value* value = find(asked, member);
    if (value == nullptr) return std::optional<std::string>();
    if (value->if_string() == nullptr) return refuse(std::string(member) + " must be a string");
    return std::optional(*value->if_string());
}

using Texts = std::vector<std::string>;
Outcome<std::optional<Texts>> texts_of(const Asked& asked, std::string_view member) {
    const Value* value = find(asked, member);
    if (value == nullptr) return std::optional<Texts>();
    const OAuthError wrong = refuse(std::string(member) + " must be a list of strings");
    if (value->if_array() == nullptr) return wrong;
    Texts texts;
    for (const Value& item : *value->if_array()) {
        if (item.if_string() == nullptr) return wrong;
        texts.push_back(*item.if_string());
    }
    return std::optional(std::move(texts));
}

/// Descriptions have neither quotation marks nor backslashes (RFC 6749 §5.2).
bool may_be_told(std::string_view text) { return text.find_first_of("\"\\") == text.npos; }

/// REG-5, REG-6: the rules of every redirect URI. That of private-use schemes is looked at with the kind of
/// application.
std::optional<std::string> uri_problem(const std::string& uri, const Settings& settings) {
    if (auto problem = redirect_uri_problem(uri, true)) return problem;
    // Users would be shown the host of this server as the place of the application.
    if (is_this_server(settings.issuer, uri)) return "is one of this server's own";
    return std::nullopt;
}

Outcome<Texts> read_uris(const Asked& asked, std::string_view member, OAuthError (*error)(std::string, std::string)) {
    const auto given = texts_of(asked, member);
    if (!given) return error(given.error().description, "");
    Texts uris;
    for (const std::string& uri : given->value_or(Texts())) {
        if (const auto problem = uri_problem(uri, asked.settings)) {
            const std::string told = "an address in " + std::string(member) + " ";
            return error(told + (may_be_told(*problem) ? *problem : "cannot be registered"),
                         "the address \"" + util::displayable(uri.substr(0, 200)) + "\" " + *problem);
        }
        if (std::ranges::find(uris, uri) == uris.end()) uris.push_back(uri);
    }
    if (uris.size() > kMaxRegisteredUris) return error(std::string(member) + " has more than 20 addresses", "");
    return uris;
}

// ---- the steps ----

Outcome<void> read_redirect_uris(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(client.redirect_uris, read_uris(asked, "redirect_uris", refuse_redirect_uri));
    return {};
}

bool is_longer_than_strangers(const std::string& uri) { return uri.size() > kMaxUriBytesOfStranger; }

/// REG-27. Compared as it is written: another spelling of a scheme or of a listed host is none of it.
bool may_be_of_stranger(const Settings& settings, const std::string& uri) {
    const auto url = http::parse_url(uri);
    if (!url || !uri.starts_with(url->scheme + ":")) return false;
    if (url->scheme == "https")
        return is_lower_case_host(url->host) && is_named_host(settings.registration.hosts, url->host);
    if (url->scheme != "http") return !has_scheme_without_dot(uri);
    return url->host == "127.0.0.1" || url->host == "[::1]" || url->host == "localhost";
}

Outcome<void> check_addresses_of_stranger(const Asked& asked, Client& client) {
    if (!asked.is_of_stranger()) return {};
    if (client.redirect_uris.size() > kMaxUrisOfStranger ||
        std::ranges::any_of(client.redirect_uris, is_longer_than_strangers))
        return refuse_redirect_uri(
            "without an initial access token, redirect_uris may have 8 addresses of 512 bytes each");
    for (const std::string& uri : client.redirect_uris)
        if (!may_be_of_stranger(asked.settings, uri))
            return make_error(
                Reason::invalid_redirect_uri_of_stranger,
                "without an initial access token, a redirect URI must be http on 127.0.0.1, [::1] or "
                "localhost, have a private-use scheme with a dot, or be on an https host that the operator "
                "has named",
                "the address \"" + util::displayable(uri.substr(0, 200)) + "\"");
    return {};
}

/// The response types in a request, those that are known. The default is `code` for who has codes (RFC 7591 §2).
Outcome<std::set<ResponseType>> asked_response_types(const Asked& asked, const std::set<GrantType>& grants) {
    ASSIGN_OR_RETURN(const auto names, texts_of(asked, "response_types"));
    if (!names)
        return grants.contains(GrantType::authorization_code) ? std::set{ResponseType::code} : std::set<ResponseType>();
    std::set<ResponseType> types;
    for (const std::string& name : *names)
        if (const auto type = model::parse_response_type(name)) types.insert(*type);
    return types;
}

Outcome<std::set<GrantType>> asked_grants(const Asked& asked) {
    ASSIGN_OR_RETURN(const auto names, texts_of(asked, "grant_types"));
    if (!names) return std::set{GrantType::authorization_code};
    std::set<GrantType> grants;
    for (const std::string& name : *names)
        if (const auto grant = model::parse_grant_type(name)) grants.insert(*grant);
    return grants;
}

/// REG-28.
constexpr std::array kGrantsOfStrangers = {GrantType::authorization_code, GrantType::refresh_token};

bool may_have(const Asked& asked, GrantType grant) {
    if (asked.is_of_stranger() && std::ranges::find(kGrantsOfStrangers, grant) == kGrantsOfStrangers.end())
        return false;
    return registrable_grants(asked.settings).contains(grant);
}
bool may_have(const Asked& asked, ResponseType type) {
    return asked.settings.offers(type) && (!asked.is_of_stranger() || type == ResponseType::code);
}

/// Grants that have lost their response type go, and then refresh_token when nothing gives one.
void leave_out_useless_grants(Client& client) {
    if (std::ranges::none_of(client.response_types, model::yields_code))
        client.grants.erase(GrantType::authorization_code);
    if (std::ranges::none_of(client.response_types, model::yields_any_token)) client.grants.erase(GrantType::implicit);
    if (!client.has_grant(GrantType::authorization_code) && !client.has_grant(GrantType::device_code))
        client.grants.erase(GrantType::refresh_token);
}

/// REG-7, REG-28.
Outcome<void> read_grants(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(client.grants, asked_grants(asked));
    ASSIGN_OR_RETURN(client.response_types, asked_response_types(asked, client.grants));
    for (const ResponseType type : client.response_types)
        if (model::missing_grant(client, type))  // RFC 7591 §2.1
            return refuse(
                "response_types and grant_types contradict each other",
                "the response type " + std::string(to_string(type)) + " needs a grant that grant_types lacks");
    std::erase_if(client.grants, [&](GrantType grant) { return !may_have(asked, grant); });
    std::erase_if(client.response_types, [&](ResponseType type) {
        return !may_have(asked, type) || model::missing_grant(client, type).has_value();
    });
    leave_out_useless_grants(client);
    if (client.grants.empty())
        return refuse("no grant with a response type is left that clients may register for",
                      "see registration.grants and responseTypes in the configuration");
    const bool needs_address = !client.response_types.empty();
    if (needs_address && client.redirect_uris.empty()) return refuse_redirect_uri("redirect_uris is required");
    return {};
}

bool is_native_address(const std::string& uri) {
    const auto url = http::parse_url(uri);
    return is_loopback_or_private(uri) || !url || names_this_machine(url->host);
}

/// REG-8. OpenID Connect Registration §2 has `web` as the default, which clients of RFC 7591 do not know.
Outcome<void> read_application_type(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(const auto name, text_of(asked, "application_type"));
    const auto type = name ? model::parse_application_type(*name) : std::nullopt;
    if (name && !type) return refuse("application_type must be web or native");
    const bool has_native = std::ranges::any_of(client.redirect_uris, is_native_address);
    client.metadata.application_type = type.value_or(has_native ? ApplicationType::native : ApplicationType::web);
    client.native = client.metadata.application_type == ApplicationType::native;
    if (!client.native && has_native)
        return refuse_redirect_uri(
            "a client of application_type web may have https redirect URIs only, and none of a "
            "loopback host");
    return {};
}

/// REG-9, REG-26.
Outcome<void> read_auth_method(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(const auto name, text_of(asked, "token_endpoint_auth_method"));
    const auto method = model::parse_auth_method(name.value_or("client_secret"));
    const bool is_named_so = !name || (method && *method != AuthMethod::client_secret);  // that name is ours
    if (!is_named_so)
        return make_error(Reason::invalid_client_metadata_not_offered,
                          "token_endpoint_auth_method must be client_secret_basic, client_secret_post or none",
                          "got " + util::displayable(name->substr(0, 64)));
    client.auth_method = asked.is_of_stranger() ? AuthMethod::none : *method;
    const bool is_public = client.auth_method == AuthMethod::none;
    client.type = is_public ? model::ClientType::public_ : model::ClientType::confidential;
    client.pkce = is_public ? model::Pkce::required : model::Pkce::optional;
    if (is_public && client.has_grant(GrantType::client_credentials))
        return refuse("the grant client_credentials needs a client that authenticates");
    return {};
}

/// REG-10. A client must not get less than it demands.
Outcome<void> check_demands(const Asked& asked, Client&) {
    for (const char* member : {"require_pushed_authorization_requests", "dpop_bound_access_tokens",
                               "tls_client_certificate_bound_access_tokens", "require_signed_request_object"}) {
        const Value* value = find(asked, member);
        if (value != nullptr && (value->if_bool() == nullptr || *value->if_bool())) return not_offered(member);
    }
    for (const char* member : {"default_max_age", "default_acr_values"})
        if (find(asked, member) != nullptr) return not_offered(member);
    const Value* auth_time = find(asked, "require_auth_time");
    const bool knows_times = asked.settings.login.has_page() || asked.settings.login.auth_time_variable;
    if (auth_time != nullptr && (auth_time->if_bool() == nullptr || (*auth_time->if_bool() && !knows_times)))
        return not_offered("require_auth_time");
    for (const auto& [member, value] : asked.request.members()) {
        if (value.is_null() || member == "id_token_signed_response_alg") continue;
        if (member.find("_encrypted_") != member.npos || member.ends_with("_signed_response_alg"))
            return not_offered(member);
    }
    return {};
}

/// REG-10. Of a stranger nothing is kept, so that it must be what the client gets anyway.
Outcome<void> read_id_token_algorithm(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(const auto name, text_of(asked, "id_token_signed_response_alg"));
    if (!name) return {};
    const auto algorithm = crypto::parse_algorithm(*name);
    const bool is_ours = algorithm && asked.settings.offers_id_tokens_by(*algorithm) &&
                         (!asked.is_of_stranger() || *algorithm == wanted_id_token_algorithm(asked.settings, client));
    if (!is_ours) return not_offered("id_token_signed_response_alg");
    if (!asked.is_of_stranger()) client.id_token_algorithm = algorithm;
    return {};
}

/// REG-11. It is a demand as those of REG-10 are: who wants pairwise ids must not get the public one.
Outcome<void> check_subject_type(const Asked& asked, Client&) {
    ASSIGN_OR_RETURN(const auto type, text_of(asked, "subject_type"));
    if (type.value_or("public") != "public") return not_offered("subject_type");
    return {};
}

enum class Fragment { refused, allowed };

/// A row for each member of REG-12 that is one https URL.
struct LinkMember {
    const char* name;
    std::string model::RegisteredMetadata::*member;
    Fragment fragment;
};
constexpr LinkMember kLinks[] = {
    {"initiate_login_uri", &model::RegisteredMetadata::initiate_login_uri, Fragment::refused},
    {"policy_uri", &model::RegisteredMetadata::policy_uri, Fragment::allowed},
    {"tos_uri", &model::RegisteredMetadata::tos_uri, Fragment::allowed},
};

/// FETCH-4. The host is a name or an address in the spelling in which people and browsers read the same.
bool is_link(const std::string& uri, Fragment fragment) {
    const auto url = uri.size() > kMaxRegisteredUriBytes ? std::nullopt : http::parse_url(uri);
    if (!url || url->scheme != "https" || url->has_user_info) return false;
    if (url->fragment && fragment == Fragment::refused) return false;
    if (url->has_port && !util::parse_port(url->port)) return false;
    return is_lower_case_host(util::to_lower(url->host));
}

Outcome<void> read_links(const Asked& asked, Client& client) {
    for (const auto& [name, member, fragment] : kLinks) {
        ASSIGN_OR_RETURN(const auto uri, text_of(asked, name));
        if (uri && !is_link(*uri, fragment))
            return refuse(std::string(name) + " must be an https URL of at most 2048 bytes, without user name" +
                              (fragment == Fragment::refused ? " and fragment" : ""),
                          "got \"" + util::displayable(uri->substr(0, 200)) + "\"");
        client.metadata.*member = uri.value_or("");
    }
    return {};
}

Outcome<bool> flag_of(const Asked& asked, const char* member) {
    const Value* value = find(asked, member);
    if (value == nullptr) return false;
    if (value->if_bool() == nullptr) return refuse(std::string(member) + " must be true or false");
    return *value->if_bool();
}

/// BCL-1, FCL-1: where it is told that a session has ended.
Outcome<void> read_logout_uris(const Asked& asked, Client& client) {
    model::LogoutUris& uris = client.logout;
    ASSIGN_OR_RETURN(const auto back, text_of(asked, "backchannel_logout_uri"));
    ASSIGN_OR_RETURN(const auto front, text_of(asked, "frontchannel_logout_uri"));
    ASSIGN_OR_RETURN(const bool back_session, flag_of(asked, "backchannel_logout_session_required"));
    ASSIGN_OR_RETURN(const bool front_session, flag_of(asked, "frontchannel_logout_session_required"));
    uris = {back.value_or(""), back && back_session, front.value_or(""), front && front_session};
    const auto problems = logout_uri_problems(client, asked.settings);
    if (problems.empty()) return {};
    return refuse("the logout URIs cannot be those of a client here", problems.front());
}

/// As for operators' clients: RP-Initiated Logout 1.0 §3.1.
Outcome<void> read_logout_addresses(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(client.post_logout_redirect_uris, read_uris(asked, "post_logout_redirect_uris", refuse));
    const bool has_native = std::ranges::any_of(client.post_logout_redirect_uris, is_native_address);
    if (!client.native && has_native)
        return refuse(
            "post_logout_redirect_uris of a client of application_type web must be https, and none of a loopback "
            "host");
    return {};
}

Outcome<void> read_name(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(const auto name, text_of(asked, "client_name"));
    if (const auto problem = name ? registered_name_problem(*name) : std::nullopt)
        return refuse("client_name " + *problem);
    client.name = name.value_or("");
    return {};
}

/// REG-13.
Outcome<void> read_scope(const Asked& asked, Client& client) {
    const model::Scope& allowed = asked.settings.registration.scope;
    ASSIGN_OR_RETURN(const auto text, text_of(asked, "scope"));
    const auto scope = read_words(text.value_or(""));
    if (!scope) return refuse("scope must be words of ASCII with blanks between them, at most 64");
    if (scope->empty()) {  // as at the other endpoints
        client.scope = allowed;
        return {};
    }
    for (const std::string& token : scope->tokens())
        if (allowed.contains(token)) client.scope.add(token);
    if (client.scope.empty())
        return refuse("no scope is left that clients may register for", "see registration.scope in the configuration");
    return {};
}

/// The rules that every stored client keeps, so that no endpoint has to doubt what it reads.
Outcome<void> check_as_operators(const Asked& asked, Client& client) {
    Client whole = client;
    whole.id = model::ClientId("registered");
    const auto problems = registration_problems(whole, asked.settings);
    if (problems.empty()) return {};
    return refuse("the members do not fit each other", problems.front());
}

struct Step {
    Outcome<void> (*run)(const Asked&, Client&);
    bool reads_of_strangers;  ///< REG-25: of others the members are ignored
};
constexpr Step kSteps[] = {
    {read_redirect_uris, true},
    {check_addresses_of_stranger, true},
    {read_grants, true},
    {read_application_type, true},
    {read_auth_method, true},
    {check_demands, true},
    {read_id_token_algorithm, true},
    {check_subject_type, true},
    {read_links, false},
    {read_logout_addresses, false},
    {read_logout_uris, false},
    {read_name, true},
    {read_scope, true},
    {check_as_operators, true},
};

}  // namespace

Outcome<Client> read_registration(const Object& request, const Settings& settings, Registrant registrant) {
    const Asked asked{request, settings, registrant};
    Client client;
    client.origin = model::Origin::dynamic;
    for (const Step& step : kSteps) {
        if (asked.is_of_stranger() && !step.reads_of_strangers) continue;
        RETURN_IF_ERROR(step.run(asked, client));
    }
    return client;
}

}  // namespace postern::oauth
