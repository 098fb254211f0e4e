// Decides which claims of a user introspection tells an API: docs/decisions/0125.
#include "oidc/introspected_user.h"

#include <utility>

namespace postern::oidc {
namespace {

bool may_know_claims(const oauth::Settings& settings, const std::optional<model::Client>& caller) {
    return settings.oidc && caller && caller->type == model::ClientType::confidential &&
           !caller->introspection_claims.empty();
}

}  // namespace

oauth::UserClaimsOf claims_for_introspection(oauth::Context& context, const std::optional<model::Client>& caller,
                                             GetUserClaims get_user_claims) {
    if (!may_know_claims(context.settings, caller)) return {};
    return [&context, id = caller->id, names = caller->introspection_claims,
            get_user_claims = std::move(get_user_claims)](const store::StoredAccessToken& token) {
        const json::Object released = release_claims(context, {id, false, token.subject, token.scope}, get_user_claims);
        json::Object told;
        for (const std::string& name : names)
            if (const json::Value* value = released.find(name)) told.set(name, *value);
        return told;
    };
}

}  // namespace postern::oidc
