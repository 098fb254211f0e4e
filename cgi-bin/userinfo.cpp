// The UserInfo endpoint (OpenID Connect Core §5.3) with the claims of the database.
#include "oidc/userinfo.h"

#include "server/userinfo_endpoint.h"

int main() { return postern::server::serve_userinfo(postern::oidc::database_claims, {.openssl = false}); }
