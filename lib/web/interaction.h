// One request of a person's browser to the pages: what it brings, and the authorization request it resumes.
#pragma once

#include <optional>
#include <string>

#include "http/message.h"
#include "login/browser.h"
#include "oauth/context.h"
#include "oauth/redirect_uri.h"
#include "oauth/sealed_request.h"
#include "pages/page.h"
#include "pages/refusal_page.h"
#include "util/result.h"
#include "web/csrf.h"

namespace postern::web {

struct Interaction {
    oauth::Context& context;
    const pages::PageBook& all_pages;
    const http::Request& request;
    login::Browser browser;
    std::optional<std::string> ui_locales = {};  ///< of the authorization or logout request, once it is known
    std::optional<std::string> locale = {};      ///< the claim of the signed-in user, where the program may read it

    Interaction(oauth::Context& context_, const pages::PageBook& pages_, const http::Request& request_)
        : context(context_), all_pages(pages_), request(request_), browser(login::recognise(context_, request_)) {}

    /// Returns the language in which this person reads (I18N-5).
    const text::Catalogue& language() const;
    const pages::Pages& pages() const { return all_pages.in(language()); }

    http::Response refuse(refusal::Reason fault, const std::string& client_id = {},
                          const std::string& detail = {}) const {
        return pages::refusal_page(pages(), request, fault, {client_id, detail, context.settings.issuer, ""});
    }
};

/// The authorization request that travelled sealed in the parameter `resume`, bound to this browser, with its target
/// verified again.
struct Resumed {
    model::AuthorizationRequest request;
    oauth::VerifiedRedirect target;
    std::string sealed = {};  ///< as this browser brought it; "" when it is to be sealed again, and for a new id
};

/// The aim of a login: an application's request, or a page of the account. Bound to this browser as `Resumed` is.
struct LoginVisit {
    model::AuthorizationRequest request;
    std::optional<oauth::VerifiedRedirect> target;  ///< nullopt: the login is for `request.account_page`
    std::string sealed;                             ///< as this browser brought it; "" when it is to be sealed again
    bool half_expired = false;  ///< the half login that `request` had is too old, and is not there any more
};

/// The path behind `paths.account` of the page on which a user whose login must have a second half sets one up.
inline constexpr const char* kEnrolmentSuffix = "/enrol";
/// The path behind it of the page on which a password that must be changed is changed before the login is whole.
inline constexpr const char* kPasswordChangeSuffix = "/renew";

/// The parameter of authorize, beside `resume`, with which a user who may not use the client lets it know.
inline constexpr const char* kGoBack = "back";
inline constexpr const char* kGoesBack = "yes";
/// The value of kGoBack with which the login page lets a client know by a signed answer that a login cannot be proved.
inline constexpr const char* kUnproved = "unproved";

enum class AllowUnbound {
    no,   ///< pages: only the browser that the request was sealed for
    yes,  ///< authorize: a request posted by another site is worth what its URL is worth, and is bound from here on
};

/// Opens an application's request, or returns the page that says why there is none.
util::Result<Resumed, http::Response> resume(Interaction& interaction, const http::Params& params,
                                             AllowUnbound allow_unbound);
/// Opens the request of a login, which may be for a page of the account: only here has the request a half login.
util::Result<LoginVisit, http::Response> resume_login(Interaction& interaction, const http::Params& params);

/// Puts the name that was typed for the half login that is over into the login form of `request`: it need not be
/// typed again (A11Y-4). A session that was to be raised had no name typed, and none is told.
void keep_typed_name(const oauth::Context& context, const model::HalfLogin& over, model::AuthorizationRequest& request);

/// Returns the page of `fault`, with a button that starts the same sign-in over: a request of its own, worth what the
/// application's link was worth. Decisions about the old request do not count for it, and the old one stays ended.
http::Response refuse_and_offer(const Interaction& interaction, refusal::Reason fault,
                                const model::AuthorizationRequest& request, const std::string& detail = {});

/// Returns the page that refuses a form which is not of this browser and request; nullopt: the form is.
std::optional<http::Response> refuse_foreign_form(const Interaction& interaction, Form form,
                                                  const model::AuthorizationRequest& request);

/// Returns the URL that starts the same sign-in over with the login page, for another user. "" where the web server
/// signs people in, which would name the same user again, and where the client wants one user alone.
std::string other_account_url(const Interaction& interaction, const model::AuthorizationRequest& request);

/// Returns the page for a user who may not use the client: another account, or back to the client, which is told then.
http::Response refuse_access(Interaction& interaction, const Resumed& asked);

/// Returns the page for a request that was answered already, to show no form that could only lead there.
std::optional<http::Response> refuse_if_used(const Interaction& interaction,
                                             const model::AuthorizationRequest& request);

/// Redirects to the page at `path` with the request sealed for this browser, which gets its cookie now if it has none.
/// `sealed` as in `Resumed`.
http::Response continue_at(Interaction& interaction, const std::string& path,
                           const model::AuthorizationRequest& request, const std::string& sealed);
http::Response continue_at(Interaction& interaction, const std::string& path, const Resumed& asked);

/// Makes the request that takes the place of an application's for a login that leads to the page of the account.
model::AuthorizationRequest account_request(const oauth::Context& context, const std::string& account_page);
/// Redirects to the login page, and from there to the page of the account at this path. A session that there is counts
/// for nothing. `login_hint` as in an authorization request.
http::Response log_in_for_account(Interaction& interaction, const std::string& account_page,
                                  std::optional<std::string> login_hint);

/// Returns whether the request is for a login that leads to the page for devices: the account_page of account_request
/// is its path, perhaps with a code.
bool is_for_device(const oauth::Settings& settings, const model::AuthorizationRequest& request);

/// Continues a login: at the authorization endpoint, at the page for devices, or at the page of the account.
http::Response continue_after_login(Interaction& interaction, const LoginVisit& visit);

/// The parameter of a page of the account with which a login without a form says that it has sent the session cookie.
inline constexpr const char* kSessionSent = "signed_in";

}  // namespace postern::web
