// Did this form come from the page we showed to this browser for this request? (RFC 9700 §4.7)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "login/browser.h"
#include "oauth/context.h"

namespace postern::web {

enum class Form {
    login,
    second_step,
    enrolment,
    password_change,
    consent,
    logout,
    account,
    account_password,
    account_app,
    account_passkeys,
    account_codes,
    account_devices,
    account_applications,
    account_activity,
    account_profile,
    device,
    device_consent,
    link,
    recover,
};

/// Returns the text that proves that this server made `about` for that purpose. Its key is derived from the seal key,
/// so that a seal is never a CSRF token and a CSRF token is never a seal.
std::string csrf_proof(const oauth::Context& context, std::string_view purpose, std::string_view about);

/// Returns a token that is bound to the form, the browser, the request it is about (by its id; "" for pages of the
/// account, the digest for a link, with the letters for the answer to a device) and, but for the forms of a login, of a
/// link and of a forgotten password, the session.
std::string csrf_token(oauth::Context& context, Form form, const login::Browser& browser,
                       const std::string& request_id);

/// Returns why a form is not ours, for the log. nullopt for the token of exactly this situation with any id of the
/// browser, sent by a page of this origin; a browser without an id has none. `Sec-Fetch-Site` is believed when present;
/// `Origin` alone is not, since `Referrer-Policy: no-referrer` makes browsers send `null` on our own forms.
std::optional<std::string> find_form_fault(oauth::Context& context, Form form, const login::Browser& browser,
                                           const std::string& request_id, const http::Request& request);

}  // namespace postern::web
