// Decides how the properties of a client are spelled in the database, on the command line and in metadata (RFC 7591
// §2).
#include "model/client.h"

namespace postern::model {
namespace {

template <class Enum>
struct Name {
    Enum value;
    std::string_view text;
};

constexpr Name<GrantType> kGrantTypes[] = {
    {GrantType::authorization_code, "authorization_code"},
    {GrantType::refresh_token, "refresh_token"},
    {GrantType::client_credentials, "client_credentials"},
    {GrantType::implicit, "implicit"},
};

constexpr Name<AuthMethod> kAuthMethods[] = {
    {AuthMethod::client_secret, "client_secret"},
    {AuthMethod::client_secret_basic, "client_secret_basic"},
    {AuthMethod::client_secret_post, "client_secret_post"},
    {AuthMethod::none, "none"},
};

constexpr Name<Pkce> kPkce[] = {
    {Pkce::required, "required"},
    {Pkce::optional, "optional"},
};

constexpr Name<ToldGroups> kToldGroups[] = {
    {ToldGroups::all, "all"},
    {ToldGroups::own, "own"},
};

constexpr Name<TokenProfile> kTokenProfiles[] = {
    {TokenProfile::interface, "interface"},
    {TokenProfile::rfc9068, "rfc9068"},
};

constexpr Name<Origin> kOrigins[] = {
    {Origin::operator_, "operator"},
    {Origin::document, "document"},
};

template <class Enum, std::size_t count>
std::string_view text_of(const Name<Enum> (&names)[count], Enum value) {
    for (const auto& name : names) {
        if (name.value == value) return name.text;
    }
    return {};
}

template <class Enum, std::size_t count>
std::optional<Enum> value_of(const Name<Enum> (&names)[count], std::string_view text) {
    for (const auto& name : names) {
        if (name.text == text) return name.value;
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_string(GrantType grant) { return text_of(kGrantTypes, grant); }
std::optional<GrantType> parse_grant_type(std::string_view name) { return value_of(kGrantTypes, name); }

std::string_view to_string(AuthMethod method) { return text_of(kAuthMethods, method); }
std::optional<AuthMethod> parse_auth_method(std::string_view name) { return value_of(kAuthMethods, name); }

std::string_view to_string(Pkce pkce) { return text_of(kPkce, pkce); }
std::optional<Pkce> parse_pkce(std::string_view name) { return value_of(kPkce, name); }

std::string_view to_string(ToldGroups groups) { return text_of(kToldGroups, groups); }
std::optional<ToldGroups> parse_told_groups(std::string_view name) { return value_of(kToldGroups, name); }

std::string_view to_string(TokenProfile profile) { return text_of(kTokenProfiles, profile); }
std::optional<TokenProfile> parse_token_profile(std::string_view name) { return value_of(kTokenProfiles, name); }

std::string_view to_string(Origin origin) { return text_of(kOrigins, origin); }
std::optional<Origin> parse_origin(std::string_view name) { return value_of(kOrigins, name); }

}  // namespace postern::model
