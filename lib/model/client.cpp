// Decides how the properties of a client are spelled in the database, on the command line and in metadata (RFC 7591
// §2).
#include "model/client.h"

#include "model/named.h"

namespace postern::model {
namespace {

constexpr Named<GrantType> kGrantTypes[] = {
    {GrantType::authorization_code, "authorization_code"},
    {GrantType::refresh_token, "refresh_token"},
    {GrantType::client_credentials, "client_credentials"},
    {GrantType::implicit, "implicit"},
    {GrantType::device_code, "urn:ietf:params:oauth:grant-type:device_code"},  // RFC 8628 §3.4
};

constexpr Named<AuthMethod> kAuthMethods[] = {
    {AuthMethod::client_secret, "client_secret"},
    {AuthMethod::client_secret_basic, "client_secret_basic"},
    {AuthMethod::client_secret_post, "client_secret_post"},
    {AuthMethod::private_key_jwt, "private_key_jwt"},
    {AuthMethod::tls_client_auth, "tls_client_auth"},
    {AuthMethod::self_signed_tls_client_auth, "self_signed_tls_client_auth"},
    {AuthMethod::none, "none"},
};

constexpr Named<crypto::NameKind> kKindNames[] = {
    {crypto::NameKind::subject_dn, "tls_client_auth_subject_dn"},
    {crypto::NameKind::san_dns, "tls_client_auth_san_dns"},
    {crypto::NameKind::san_uri, "tls_client_auth_san_uri"},
    {crypto::NameKind::san_ip, "tls_client_auth_san_ip"},
    {crypto::NameKind::san_email, "tls_client_auth_san_email"},
};

constexpr Named<Pkce> kPkce[] = {
    {Pkce::required, "required"},
    {Pkce::optional, "optional"},
};

constexpr Named<ToldGroups> kToldGroups[] = {
    {ToldGroups::all, "all"},
    {ToldGroups::own, "own"},
};

constexpr Named<TokenProfile> kTokenProfiles[] = {
    {TokenProfile::interface, "interface"},
    {TokenProfile::rfc9068, "rfc9068"},
};

constexpr Named<SecurityProfile> kSecurityProfiles[] = {
    {SecurityProfile::none, "none"},
    {SecurityProfile::fapi2, "fapi2"},
    {SecurityProfile::fapi2_message_signing, "fapi2-message-signing"},
};

constexpr Named<Origin> kOrigins[] = {
    {Origin::operator_, "operator"},
    {Origin::document, "document"},
    {Origin::dynamic, "dynamic"},
};

constexpr Named<ApplicationType> kApplicationTypes[] = {
    {ApplicationType::web, "web"},
    {ApplicationType::native, "native"},
};

constexpr Named<UserHeader> kUserHeaders[] = {
    {UserHeader::name, "name"},
    {UserHeader::subject, "subject"},
    {UserHeader::email, "email"},
};

}  // namespace

std::string_view to_string(GrantType grant) { return name_of(kGrantTypes, grant); }
std::optional<GrantType> parse_grant_type(std::string_view name) { return find_named(kGrantTypes, name); }

std::string_view to_string(AuthMethod method) { return name_of(kAuthMethods, method); }
std::optional<AuthMethod> parse_auth_method(std::string_view name) { return find_named(kAuthMethods, name); }

std::string_view to_string(crypto::NameKind kind) { return name_of(kKindNames, kind); }
std::optional<crypto::NameKind> parse_name_kind(std::string_view name) { return find_named(kKindNames, name); }

std::string_view to_string(Pkce pkce) { return name_of(kPkce, pkce); }
std::optional<Pkce> parse_pkce(std::string_view name) { return find_named(kPkce, name); }

std::string_view to_string(ToldGroups groups) { return name_of(kToldGroups, groups); }
std::optional<ToldGroups> parse_told_groups(std::string_view name) { return find_named(kToldGroups, name); }

std::string_view to_string(TokenProfile profile) { return name_of(kTokenProfiles, profile); }
std::optional<TokenProfile> parse_token_profile(std::string_view name) { return find_named(kTokenProfiles, name); }

std::string_view to_string(SecurityProfile profile) { return name_of(kSecurityProfiles, profile); }
std::optional<SecurityProfile> parse_security_profile(std::string_view name) {
    return find_named(kSecurityProfiles, name);
}

std::string_view to_string(Origin origin) { return name_of(kOrigins, origin); }
std::optional<Origin> parse_origin(std::string_view name) { return find_named(kOrigins, name); }

std::string_view to_string(ApplicationType type) { return name_of(kApplicationTypes, type); }
std::optional<ApplicationType> parse_application_type(std::string_view name) {
    return find_named(kApplicationTypes, name);
}
std::string_view to_string(UserHeader header) { return name_of(kUserHeaders, header); }
std::optional<UserHeader> parse_user_header(std::string_view name) { return find_named(kUserHeaders, name); }

std::optional<GrantType> missing_grant(const Client& client, ResponseType type) {
    if (yields_code(type) && !client.has_grant(GrantType::authorization_code)) return GrantType::authorization_code;
    if (yields_any_token(type) && !client.has_grant(GrantType::implicit)) return GrantType::implicit;
    return std::nullopt;
}

bool may_ask_for(const Client& client, ResponseType type) {
    const bool is_named = client.response_types.empty() ? type == ResponseType::code || type == ResponseType::token
                                                        : client.response_types.contains(type);
    return is_named && !missing_grant(client, type);
}

std::set<ResponseType> response_types_of(const Client& client) {
    std::set<ResponseType> types;
    for (const ResponseType type : kResponseTypes)
        if (may_ask_for(client, type)) types.insert(type);
    return types;
}

}  // namespace postern::model
