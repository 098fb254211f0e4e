// The requests of the code flow with good values everywhere: a test row changes the one thing it is about.
#pragma once

#include <string>
#include <vector>

#include "support/deployment.h"
#include "support/query.h"
#include "support/user_agent.h"

namespace postern::test {

// RFC 7636 appendix B.
inline constexpr const char* kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
inline constexpr const char* kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
inline constexpr const char* kState = "af0ifjsldkj";
inline constexpr const char* kNonce = "n-0S6_WzA2Mj";

/// The address that the client registered first.
std::string redirect_uri_of(const std::string& client);

/// response_type, client_id, redirect_uri, scope "openid email", state, nonce, S256 challenge.
Query authorization_request(const std::string& client = kWeb);

/// Returns the verdict of the authorization endpoint on one request: "login", "consent", "page 400", or the client's
/// answer at its redirect_uri in any response mode, "code", "token" or the error, with `state` and `iss` checked.
std::string verdict_of(const Deployment& deployment, const Answer& answer, const std::string& client = kWeb,
                       const std::string& state = kState);

/// grant_type, code, redirect_uri and verifier of that client.
Query token_request(const std::string& code, const std::string& client = kWeb);

/// "Basic ..." with id and secret form-encoded first (RFC 6749 §2.3.1).
std::string basic(const std::string& client, const std::string& secret);

CgiRequest with_basic(const std::string& form, const std::string& client = kWeb);
/// The form posted to the endpoint with the client's own credentials: Basic, or the id alone for public clients.
Answer as_client(const Deployment& deployment, const std::string& endpoint, const Query& form,
                 const std::string& client = kWeb);
/// Sends a request to the token endpoint.
Answer redeem(const Deployment& deployment, const Query& request, const std::string& client = kWeb);

/// Asks introspection as a client that the token was not issued to.
bool is_active(const Deployment& deployment, const std::string& token);

CgiRequest bearer(const std::string& token);
Answer userinfo(const Deployment& deployment, const std::string& token);

/// A second and a third segment, decoded but not verified.
json::Object jwt_header(const std::string& token);
json::Object jwt_claims(const std::string& token);

/// Redeems a fresh code; fails the test when that is refused.
json::Object obtain_tokens(const Deployment& deployment, UserAgent& browser, const Query& request,
                           const std::string& client = kWeb);

/// A deployment where alice has signed in at a client, which holds her tokens.
struct SignedIn {
    Deployment op;
    UserAgent alice{op};
    json::Object tokens;
    explicit SignedIn(const Deployment::Options& options = {}, const std::string& client = kWeb);
    std::string access_token() const;
    std::string refresh_token() const;
};

/// The `sub` of a user.
std::string subject_of(const Deployment& deployment, const std::string& username);

/// Returns true when a reader of the page sees that text.
bool says(const Answer& page, const std::string& text);
bool says(const Landing& page, const std::string& text);

/// The address of a page of the account: "", "/app".
std::string at(const Deployment& deployment, const std::string& page);
/// A browser that has signed in with a password and is at the account.
UserAgent signed_in(const Deployment& deployment, const std::string& user = kAlice,
                    const std::string& password = kAlicePassword);
/// Returns true when a new browser, at another address, gets to the account with that password.
bool can_log_in(const Deployment& deployment, const std::string& user, const std::string& password);

/// The claims of the ID token behind the code with which a browser has come to the client.
json::Object id_token_of(const Deployment& deployment, const Landing& at_client, const std::string& client = kWeb);
/// The words of the claim: "pwd otp mfa", "" without it.
std::string amr_of(const json::Object& claims);

/// The sealed request in the address of a page.
std::string resume_of(const Landing& page);

/// Prints JSON with the command and returns the link that it has made.
std::string link_of(const Deployment& deployment, std::vector<std::string> command);

/// Runs a statement that changes the database behind the programs' back.
void change_database(const Deployment& deployment, const std::string& sql);

}  // namespace postern::test
