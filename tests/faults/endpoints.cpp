// The sources of cgi-bin themselves: only `serve` is another, which remembers what it would serve.
#include "faults/endpoints.h"

#include <map>
#include <memory>
#include <stdexcept>

#include "fetch/fetcher.h"
#include "login/remote_user.h"
#include "oauth/client_auth.h"
#include "oauth/device_authorization.h"
#include "oauth/introspection.h"
#include "oauth/pushed_request.h"
#include "oauth/register_client.h"
#include "oauth/registered_client.h"
#include "oauth/respond.h"
#include "oauth/revocation.h"
#include "oauth/token_request.h"
#include "oauth/token_response.h"
#include "oidc/id_token.h"
#include "oidc/introspected_user.h"
#include "oidc/userinfo.h"
#include "server/app.h"
#include "server/userinfo_endpoint.h"
#include "web/account/account.h"
#include "web/authorization.h"
#include "web/consent.h"
#include "web/device/device.h"
#include "web/login.h"
#include "web/logout.h"
#include "web/recover/paths.h"
#include "web/recover/recover.h"

namespace {

std::map<std::string, postern::test::EndpointProgram>& programs() {
    static std::map<std::string, postern::test::EndpointProgram> all;
    return all;
}

}  // namespace

namespace postern::server {

int remember(const Endpoint& endpoint, const Handler& handler) {
    programs()[endpoint.name] = {endpoint, handler};
    return 0;
}

}  // namespace postern::server

// Everything that they include is included above, so that nothing of it ends up in these namespaces.
#define serve remember
#define main remember_main
namespace account_program {
#include "../../cgi-bin/account.cpp"
}
namespace authorize_program {
#include "../../cgi-bin/authorize.cpp"
}
namespace device_program {
#include "../../cgi-bin/device.cpp"
}
namespace device_authorization_program {
#include "../../cgi-bin/device_authorization.cpp"
}
namespace introspect_program {
#include "../../cgi-bin/introspect.cpp"
}
namespace login_program {
#include "../../cgi-bin/login.cpp"
}
namespace logout_program {
#include "../../cgi-bin/logout.cpp"
}
namespace par_program {
#include "../../cgi-bin/par.cpp"
}
namespace recover_program {
#include "../../cgi-bin/recover.cpp"
}
namespace registration_program {
#include "../../cgi-bin/registration.cpp"
}
namespace revoke_program {
#include "../../cgi-bin/revoke.cpp"
}
namespace scopes_program {
#include "../../cgi-bin/scopes.cpp"
}
namespace token_program {
#include "../../cgi-bin/token.cpp"
}
#undef main
namespace postern::server {
int remember_userinfo(const oidc::GetUserClaims& get_user_claims, const SandboxPermissions& needs = {});
int remember_userinfo(const MakeGetUserClaims& make_get_user_claims, const SandboxPermissions& needs = {});
}  // namespace postern::server
#define serve_userinfo remember_userinfo
#include "../../lib/server/userinfo_endpoint.cpp"
#undef serve

namespace postern::test {
namespace {

/// Its `main`, which has the pages, has returned.
void keep_account_pages() {
    static std::unique_ptr<const pages::InLanguages<web::AccountPages>> pages;
    EndpointProgram& program = programs()["account"];
    program.endpoint.begin = [](server::App& app) { pages = web::read_account_pages(app.pages().templates()); };
    program.handler = [](server::App& app, const http::Request& request) {
        return account_program::account(app, *pages, request);
    };
}

void keep_device_pages() {
    static device_program::Pages pages;
    EndpointProgram& program = programs()["device"];
    program.endpoint.begin = [](server::App& app) { pages = web::read_device_pages(app.pages().templates()); };
    program.handler = [](server::App& app, const http::Request& request) {
        return device_program::device(app, pages, request);
    };
}

}  // namespace

const EndpointProgram& endpoint_program(const std::string& name) {
    static const bool remembered = [] {
        account_program::remember_main();
        keep_account_pages();
        authorize_program::remember_main();
        device_program::remember_main();
        keep_device_pages();
        device_authorization_program::remember_main();
        introspect_program::remember_main();
        login_program::remember_main();
        logout_program::remember_main();
        par_program::remember_main();
        recover_program::remember_main();
        registration_program::remember_main();
        revoke_program::remember_main();
        scopes_program::remember_main();
        token_program::remember_main();
        server::remember_userinfo(oidc::database_claims);
        return true;
    }();
    const auto found = programs().find(name);
    if (!remembered || found == programs().end()) throw std::logic_error("no such endpoint: " + name);
    return found->second;
}

}  // namespace postern::test
