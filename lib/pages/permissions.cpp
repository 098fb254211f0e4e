// The lines of the consent page: the operator's words, else ours, else the bare name.
#include "pages/permissions.h"

#include <string>
#include <string_view>

#include "store/resources.h"

namespace postern::pages {
namespace {

using text::Message;
using text::tr;

struct Text {
    std::string_view name;
    const char* description;
};

constexpr Text kStandardScopes[] = {
    {"openid", tr("Confirm who you are")},
    {"profile", tr("See your profile: name, picture, language and the like")},
    {"email", tr("See your e-mail address")},
    {"address", tr("See your postal address")},
    {"phone", tr("See your phone number")},
    {"offline_access", tr("Keep access while you are not using the application")},
    {"groups", tr("See which groups you are in")},
};

/// OpenID Connect Core §5.1.
constexpr Text kStandardClaims[] = {
    {"name", tr("See your full name")},
    {"family_name", tr("See your family name")},
    {"given_name", tr("See your given name")},
    {"middle_name", tr("See your middle name")},
    {"nickname", tr("See your nickname")},
    {"preferred_username", tr("See your user name")},
    {"profile", tr("See the address of your profile page")},
    {"picture", tr("See your picture")},
    {"website", tr("See the address of your web site")},
    {"gender", tr("See your gender")},
    {"birthdate", tr("See your date of birth")},
    {"zoneinfo", tr("See your time zone")},
    {"locale", tr("See your language and region")},
    {"updated_at", tr("See when your details last changed")},
    {"email", tr("See your e-mail address")},
    {"email_verified", tr("See whether your e-mail address has been verified")},
    {"address", tr("See your postal address")},
    {"phone_number", tr("See your phone number")},
    {"phone_number_verified", tr("See whether your phone number has been verified")},
    {"groups", tr("See which groups you are in")},
};

template <std::size_t N>
Message describe(const Text (&texts)[N], const std::string& name) {
    for (const Text& text : texts)
        if (text.name == name) return text.description;
    return {tr("Use the permission {name}"), {{"name", Message::data(name)}}};
}

Message describe_scope(const oauth::Settings& settings, const std::string& scope) {
    const auto own = settings.scope_descriptions.find(scope);
    return own == settings.scope_descriptions.end() ? describe(kStandardScopes, scope) : own->second.message();
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

std::vector<std::string> describe_resources(oauth::Context& context, const model::ResourceUris& uris) {
    std::vector<std::string> lines;
    for (const std::string& uri : uris) {
        const auto resource = store::find_resource(context.store, uri);
        const bool has_name = resource && resource->name != resource->uri;
        lines.push_back(has_name ? resource->name + " (" + uri + ")" : uri);
    }
    return lines;
}

}  // namespace postern::pages
