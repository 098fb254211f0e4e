// Makes logout tokens.
#include "oidc/logout_token.h"

#include "jose/jws.h"
#include "json/writer.h"

namespace postern::oidc {

json::Object logout_token_claims(const oauth::Settings& settings, const store::LogoutNotice& notice, util::Time now) {
    return {{"iss", settings.issuer},
            {"sub", notice.subject.str()},
            {"aud", notice.client_id.str()},
            {"iat", util::to_epoch(now)},
            {"exp", util::to_epoch(now + kLogoutTokenTtl)},
            {"jti", notice.jti},
            {"sid", notice.sid.str()},
            {"events", json::Object{{"http://schemas.openid.net/event/backchannel-logout", json::Object{}}}}};
}

std::string make_logout_token(const oauth::Settings& settings, const keys::Keys& keys, const model::Client& client,
                              const store::LogoutNotice& notice, util::Time now) {
    const keys::SigningKey& key = keys.signing_key(oauth::id_token_algorithm_of(settings, client), now);
    return jose::sign_compact(key.key, key.kid, jose::TokenType::logout_token,
                              json::write(logout_token_claims(settings, notice, now)));
}

}  // namespace postern::oidc
