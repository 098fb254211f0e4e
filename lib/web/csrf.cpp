// Did this form come from the page we showed?
#include "web/csrf.h"

#include <algorithm>

#include "crypto/digest.h"
#include "util/base64.h"

namespace postern::web {
namespace {

constexpr std::string_view kPurpose = "postern csrf v1";

/// How a form is called in its token, and what the token belongs to beside the browser. The forms of a login ignore the
/// session: one that ends while they are open must not void what was typed. A link is about its own user, not about the
/// one who is signed in. The others know the session by the id that it keeps when the same user signs in again, in
/// another tab perhaps.
struct FormRow {
    Form form;
    const char* name;
    const char* belongs_to;
    bool ignores_session = false;
};
constexpr const char* kOfLogin = "browser and request";
constexpr const char* kOfSession = "browser, session and request";
constexpr const char* kOfAccount = "browser, session and page";
constexpr FormRow kForms[] = {
    {Form::login, "login", kOfLogin, true},
    {Form::second_step, "second step", kOfLogin, true},
    {Form::enrolment, "enrolment", kOfLogin, true},
    {Form::password_change, "password_change", kOfLogin, true},
    {Form::consent, "consent", kOfSession},
    {Form::logout, "logout", kOfSession},
    {Form::account, "account", kOfAccount},
    {Form::account_password, "account/password", kOfAccount},
    {Form::account_app, "account/app", kOfAccount},
    {Form::account_passkeys, "account/passkeys", kOfAccount},
    {Form::account_codes, "account/codes", kOfAccount},
    {Form::account_devices, "account/devices", kOfAccount},
    {Form::account_applications, "account/applications", kOfAccount},
    {Form::account_activity, "account/activity", kOfAccount},
    {Form::account_profile, "account/profile", kOfAccount},
    {Form::device, "device", kOfSession},
    {Form::device_consent, "device/consent", "browser, session, request and code"},
    {Form::recover, "recover", "browser", true},
    {Form::link, "link", "browser and link", true},
};

const FormRow& row_of(Form form) { return *std::ranges::find(kForms, form, &FormRow::form); }

/// `id`: one of the browser's.
std::string token_of(oauth::Context& context, Form form, const login::Browser& browser, const std::string& id,
                     const std::string& request_id) {
    const FormRow& row = row_of(form);
    const std::string session = !row.ignores_session && browser.session ? browser.session->sid.str() : std::string();
    const std::string about = std::string(row.name) + "|" + id + "|" + request_id + "|" + session;
    return csrf_proof(context, kPurpose, about);
}

}  // namespace

std::string csrf_proof(const oauth::Context& context, std::string_view purpose, std::string_view about) {
    const std::string key = crypto::hmac_sha256(context.keys.seal_key().reveal(), purpose);
    return util::base64url_encode(crypto::hmac_sha256(key, about));
}

std::string csrf_token(oauth::Context& context, Form form, const login::Browser& browser,
                       const std::string& request_id) {
    return token_of(context, form, browser, browser.id.value_or(""), request_id);
}

std::optional<std::string> find_form_fault(oauth::Context& context, Form form, const login::Browser& browser,
                                           const std::string& request_id, const http::Request& request) {
    const auto sent = request.form.find("csrf");
    bool is_own = false;
    if (sent && (!request.sec_fetch_site || *request.sec_fetch_site == "same-origin"))
        for (const std::string& id : browser.ids())
            if (crypto::equal_constant_time(*sent, token_of(context, form, browser, id, request_id))) is_own = true;
    if (is_own) return std::nullopt;
    return std::string("the csrf field is missing or does not belong to this ") + row_of(form).belongs_to;
}

}  // namespace postern::web
