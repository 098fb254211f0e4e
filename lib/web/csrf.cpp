// Did this form come from the page we showed?
#include "web/csrf.h"

#include "crypto/digest.h"
#include "util/base64.h"

namespace postern::web {
namespace {

constexpr std::string_view kPurpose = "postern csrf v1";

std::string name_of(Form form) {
    switch (form) {
        case Form::login:
            return "login";
        case Form::second_step:
            return "second step";
        case Form::enrolment:
            return "enrolment";
        case Form::password_change:
            return "password_change";
        case Form::consent:
            return "consent";
        case Form::logout:
            return "logout";
        case Form::account:
            return "account";
        case Form::account_password:
            return "account/password";
        case Form::account_app:
            return "account/app";
        case Form::account_passkeys:
            return "account/passkeys";
        case Form::account_codes:
            return "account/codes";
        case Form::account_devices:
            return "account/devices";
        case Form::account_applications:
            return "account/applications";
        case Form::account_activity:
            return "account/activity";
        case Form::account_profile:
            return "account/profile";
        case Form::recover:
            return "recover";
        case Form::link:
            break;
    }
    return "link";
}

/// `id`: one of the browser's.
std::string token_of(oauth::Context& context, Form form, const login::Browser& browser, const std::string& id,
                     const std::string& request_id) {
    // A key derived from the seal key, so that a seal is never a CSRF token and a CSRF token is never a seal.
    const std::string key = crypto::hmac_sha256(context.keys.seal_key().reveal(), kPurpose);
    // The forms of a login ignore the session: one that ends while they are open must not void what was typed. A link
    // is about its own user, not about the one who is signed in. The others know the session by the id that it keeps
    // when the same user signs in again, in another tab perhaps.
    const bool ignores = form == Form::login || form == Form::second_step || form == Form::enrolment ||
                         form == Form::password_change || form == Form::link || form == Form::recover;
    const std::string session = !ignores && browser.session ? browser.session->sid.str() : std::string();
    const std::string about = name_of(form) + "|" + id + "|" + request_id + "|" + session;
    return util::base64url_encode(crypto::hmac_sha256(key, about));
}

}  // namespace

std::string csrf_token(oauth::Context& context, Form form, const login::Browser& browser,
                       const std::string& request_id) {
    return token_of(context, form, browser, browser.id.value_or(""), request_id);
}

bool is_own_form(oauth::Context& context, Form form, const login::Browser& browser, const std::string& request_id,
                 const http::Request& request) {
    if (request.sec_fetch_site && *request.sec_fetch_site != "same-origin") return false;
    const auto sent = request.form.find("csrf");
    if (!sent) return false;
    bool is_own = false;
    for (const std::string& id : browser.ids())
        if (crypto::equal_constant_time(*sent, token_of(context, form, browser, id, request_id))) is_own = true;
    return is_own;
}

}  // namespace postern::web
