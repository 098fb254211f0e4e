// Decides which addresses a client may register for itself.
#include "oauth/registered_addresses.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "http/url.h"
#include "oauth/audience.h"
#include "oauth/client_id_url.h"
#include "oauth/logout_uris.h"
#include "oauth/redirect_rules.h"
#include "refusal/reason.h"
#include "util/text.h"

namespace postern::oauth::registering {
namespace {

using model::ApplicationType;
using model::Client;
using refusal::Reason;

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

bool is_native_address(const std::string& uri) {
    const auto url = http::parse_url(uri);
    return is_loopback_or_private(uri) || !url || names_this_machine(url->host);
}

enum class Fragment { refused, allowed };

/// A member that is a single https URL (REG-12).
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

}  // namespace

Outcome<void> read_redirect_uris(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(client.redirect_uris, read_uris(asked, "redirect_uris", refuse_redirect_uri));
    return {};
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

Outcome<void> read_logout_addresses(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(client.post_logout_redirect_uris, read_uris(asked, "post_logout_redirect_uris", refuse));
    const bool has_native = std::ranges::any_of(client.post_logout_redirect_uris, is_native_address);
    if (!client.native && has_native)
        return refuse(
            "post_logout_redirect_uris of a client of application_type web must be https, and none of a loopback "
            "host");
    return {};
}

}  // namespace postern::oauth::registering
