// What does the consent page say that a client asks for? The operator's words, else ours, else the bare name.
#include "web/permissions.h"

#include <string>
#include <string_view>

namespace postern::web {
namespace {

struct Text {
    std::string_view name;
    const char* description;
};

constexpr Text kStandardScopes[] = {
    {"openid", "Confirm who you are"},
    {"profile", "See your profile: name, picture, language and the like"},
    {"email", "See your e-mail address"},
    {"address", "See your postal address"},
    {"phone", "See your phone number"},
    {"offline_access", "Keep access while you are not using the application"},
    {"groups", "See which groups you are in"},
};

/// OpenID Connect Core §5.1.
constexpr Text kStandardClaims[] = {
    {"name", "See your full name"},
    {"family_name", "See your family name"},
    {"given_name", "See your given name"},
    {"middle_name", "See your middle name"},
    {"nickname", "See your nickname"},
    {"preferred_username", "See your user name"},
    {"profile", "See the address of your profile page"},
    {"picture", "See your picture"},
    {"website", "See the address of your web site"},
    {"gender", "See your gender"},
    {"birthdate", "See your date of birth"},
    {"zoneinfo", "See your time zone"},
    {"locale", "See your language and region"},
    {"updated_at", "See when your details last changed"},
    {"email", "See your e-mail address"},
    {"email_verified", "See whether your e-mail address has been verified"},
    {"address", "See your postal address"},
    {"phone_number", "See your phone number"},
    {"phone_number_verified", "See whether your phone number has been verified"},
    {"groups", "See which groups you are in"},
};

template <std::size_t N>
std::string describe(const Text (&texts)[N], const std::string& name) {
    for (const Text& text : texts)
        if (text.name == name) return text.description;
    return "Use the permission \xe2\x80\x9c" + name + "\xe2\x80\x9d";
}

std::string describe_scope(const oauth::Settings& settings, const std::string& scope) {
    const auto own = settings.scope_descriptions.find(scope);
    return own == settings.scope_descriptions.end() ? describe(kStandardScopes, scope) : own->second;
}

}  // namespace

std::vector<ConsentScope> permissions(const oauth::Settings& settings, const model::AuthorizationRequest& request,
                                      const std::vector<model::ClientClaim>& own_claims) {
    model::ClaimNames claims = request.claims.all();
    for (const model::ClientClaim& own : own_claims)
        if (const auto behind = model::claim_behind(own.source); behind && request.scope.contains(own.scope))
            claims.insert(*behind);

    std::vector<ConsentScope> lines;
    for (const std::string& scope : request.scope.tokens())
        lines.push_back(ConsentScope{scope, describe_scope(settings, scope)});
    for (const std::string& claim : claims)
        if (!settings.released_claims.is_released_by(request.scope, claim))
            lines.push_back(ConsentScope{claim, describe(kStandardClaims, claim)});
    return lines;
}

}  // namespace postern::web
