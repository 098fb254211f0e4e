// Values that come back under a signature or a seal: their outside, and their inside if it could be forged.
#include <algorithm>
#include <string>

#include "crypto/seal.h"
#include "fuzz/targets.h"
#include "jose/jwt.h"
#include "oauth/introspection.h"
#include "oauth/presented_token.h"
#include "oauth/sealed_request.h"
#include "oidc/logout_request.h"
#include "support/rules_fixture.h"

namespace postern::test {
namespace {

using jose::TokenType;

constexpr TokenType kTypes[] = {TokenType::access_token, TokenType::refresh_token, TokenType::id_token};
constexpr const char* kPurpose = "authorization request v13";

RulesFixture& fixture() {
    static RulesFixture instance;
    return instance;
}

model::AuthorizationRequest some_request() {
    model::AuthorizationRequest request;
    request.id = "some-id";
    request.client_id = model::ClientId("web");
    request.redirect_uri = "https://app.example/cb";
    request.expires_at = fixture().clock.now() + util::Seconds{600};
    return request;
}

/// The seal's purpose is private to its module; when it changes, this says so.
void check_purpose() {
    oauth::Context context = fixture().context();
    const std::string sealed = oauth::seal_request(context, some_request(), "browser");
    promise(crypto::open_seal(context.keys.seal_key(), kPurpose, sealed).has_value(), "the target knows the purpose");
}

}  // namespace

FUZZ_TARGET(compact_jws) {
    oauth::Context context = fixture().context();
    for (const TokenType type : kTypes)
        promise(!context.keys.verifier().verify(input, type), "nobody guesses a signature");
    oauth::PresentedToken token;
    token.value = input;
    const json::Object said = oauth::introspect(context, token);
    promise(said.size() == 1 && said.find("active") && !*said.find("active")->if_bool(),
            "an unknown token is inactive");
}

FUZZ_TARGET(signed_claims) {
    oauth::Context context = fixture().context();
    const keys::SigningKey& key = context.keys.signing_key(crypto::Algorithm::EdDSA, context.now());
    const std::string token = jose::sign_compact(key.key, key.kid, TokenType::access_token, input);
    const auto jwt = jose::verify_jwt(context.keys.verifier(), token, TokenType::access_token, context.settings.issuer,
                                      context.now(), jose::Expiry::enforced);
    if (!jwt) return;
    const json::Value* expires = jwt->claims->find("exp");
    promise(expires && expires->if_integer() && *expires->if_integer() > util::to_epoch(context.now()),
            "accepted claims have not expired");
    const json::Value* issuer = jwt->claims->find("iss");
    promise(issuer && issuer->if_string() && *issuer->if_string() == context.settings.issuer, "and are ours");
}

FUZZ_TARGET(sealed_request) {
    oauth::Context context = fixture().context();
    promise(!oauth::open_request(context, input), "nobody guesses a seal");
    promise(!oauth::open_pushed(context, input), "nobody guesses a seal");
    promise(!oidc::open_logout(context, input), "nobody guesses a seal");
}

FUZZ_TARGET(sealed_content) {
    check_purpose();
    oauth::Context context = fixture().context();
    const std::string sealed = crypto::seal(context.keys.seal_key(), kPurpose, input, context.random);
    const auto opened = oauth::open_request(context, sealed);
    if (opened) promise(opened->request.expires_at > context.now(), "an opened request has not expired");
    promise(!oidc::open_logout(context, sealed), "a seal opens for its purpose only");
}

}  // namespace postern::test
