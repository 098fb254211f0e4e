// The HTML pages: what they are told, never how they look. Templates are logic-less and escape by default.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/message.h"
#include "http/url.h"
#include "login/passkey_offer.h"
#include "model/client.h"
#include "oauth/settings.h"
#include "oidc/logout_frames.h"
#include "pages/renderer.h"
#include "pages/template.h"
#include "text/languages.h"
#include "text/message.h"

namespace postern::pages {

/// Returns the name that users see for a client: in the operator's words of the page's language, if there are any (RFC
/// 7591 §2.2).
text::Message client_name(const model::Client& client);

struct LoginPage {
    text::Message client_name;
    std::string action;  ///< absolute URL the form posts to
    std::string csrf;
    std::string resume;     ///< the sealed request
    std::string username;   ///< typed before, or ""
    text::Message message;  ///< what went wrong last time, or ""
    login::PasskeyOffer passkey = {};
    bool fields_wrong = false;  ///< the message is about the name and the password
    bool device = false;        ///< the login leads to the page for devices, and `client_name` is ""
    std::string forgot = {};    ///< URL of the page that sends a link for another password, or ""
};

struct SecondStepPage {
    std::string username;  ///< whose password was right
    std::string action;
    std::string csrf;
    std::string resume;                   ///< the sealed request, with the half login
    std::string other_account;            ///< URL of the login page for the same request, or ""
    text::Message message;                ///< what went wrong last time, or ""
    bool has_codes = false;               ///< recovery codes that were not used (CODE-6)
    bool code = true;                     ///< a code is asked for
    text::Message remembered_until = {};  ///< a time: the browser can be remembered until then; "": it cannot
    bool remember = false;                ///< the user wanted that last time
    login::PasskeyOffer passkey = {};
};

/// The page behind a login with one of the last recovery codes.
struct FewCodesPage {
    text::Message left;  ///< a number
    std::string next;    ///< URL of what the login was for
    std::string codes;   ///< URL of the page that makes new ones
};

struct ConsentScope {
    std::string name;           ///< the scope token, or a claim asked for by name
    text::Message description;  ///< what it lets the client do, one sentence
};

/// Returns the line as templates show it: `name` and `description`.
Values values_of(const ConsentScope& line, const Renderer& renderer);

struct ConsentPage {
    text::Message client_name;
    std::string client_host;  ///< where the answer goes (host of the redirect_uri, or its scheme), because any client
                              ///< can choose any name
    std::string username;     ///< who is logged in
    std::string other_account = {};  ///< URL that starts the same sign-in over with the login page, or ""
    std::string action;
    std::string csrf;
    std::string resume;
    std::vector<ConsentScope> scopes;
    std::vector<std::string> resources;  ///< what the tokens are for: names of APIs, or URIs
    // Facts of a client that the operator has not checked:
    std::string published_at = {};   ///< the host of its id, where a document describes it, or ""
    bool registered_itself = false;  ///< without a token of the operator
    bool nameless = false;           ///< it says no name
    bool any_program = false;        ///< every program on the user's machine can pass for it (RFC 8252 §8.6)
    // Addresses that a client said when it registered with a token, or "":
    std::string policy_uri = {};
    std::string tos_uri = {};
};

struct ErrorPage {
    int status = 400;
    text::Message title;        ///< what happened, a few words
    text::Message message;      ///< in a sentence or two
    text::Message who;          ///< who can fix it, and how
    std::string request_id;     ///< for `postern why`
    std::string try_again;      ///< URL that starts the same sign-in over, or ""
    std::string sign_out = {};  ///< URL of the question whether to sign out, for a logout that is refused, or ""
    std::string account = {};   ///< URL of the account, or ""
    // For a link that is no longer good, otherwise "":
    std::string recover = {};  ///< URL of the page that mails another one, where there is mail
    // For a user who may not use a client, otherwise "":
    std::string other_account = {};  ///< URL that starts the same sign-in over with the login page
    std::string back = {};           ///< URL that tells the client access_denied
    text::Message client_name = {};
};

/// An authorization response on its way to the client by POST (OAuth 2.0 Form Post Response Mode §2).
struct FormPostPage {
    text::Message client_name;
    std::string action;       ///< the client's redirect_uri
    http::Parameters fields;  ///< what the client gets, byte for byte
};

struct LogoutPage {
    text::Message client_name;  ///< who sent the browser here, if that is shown, or ""
    /// The client that the user's yes leads to, where no hint has shown who sent the browser, or "".
    text::Message leads_to = {};
    std::string username;  ///< who is logged in
    std::string action;
    std::string csrf;
    std::string resume;  ///< the sealed logout request
};

struct LoggedOutPage {
    std::string back = {};           ///< an address to follow: the client's registered one, or the web server's logout
    text::Message client_name = {};  ///< whose address it is, or ""
    oidc::LogoutFrames frames = {};  ///< of the applications that are told
    /// The page goes on to `back` by itself, when the frames have had time to load.
    bool goes_on = false;
};

/// Makes the pages. An interface, so that programs without pages carry neither templates nor what renders them.
class Pages {
public:
    Pages() = default;
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    virtual ~Pages() = default;

    virtual http::Response login(const LoginPage& page, int status) const = 0;
    virtual http::Response second_step(const SecondStepPage& page, int status) const = 0;
    virtual http::Response few_codes(const FewCodesPage& page) const = 0;
    virtual http::Response consent(const ConsentPage& page) const = 0;
    virtual http::Response error(const ErrorPage& page) const = 0;
    virtual http::Response logout(const LogoutPage& page) const = 0;
    virtual http::Response logged_out(const LoggedOutPage& page) const = 0;
    /// Tells the user, who was asked whether to log out and said no.
    virtual http::Response still_logged_in(const std::string& username) const = 0;
    /// Makes a page whose script presses its button.
    virtual http::Response form_post(const FormPostPage& page) const = 0;
};

/// The pages in each language. An interface, as Pages is.
class PageBook {
public:
    PageBook() = default;
    PageBook(const PageBook&) = delete;
    PageBook& operator=(const PageBook&) = delete;
    virtual ~PageBook() = default;

    virtual const std::shared_ptr<const text::Languages>& languages() const = 0;
    /// Returns the reader of the templates, for the pages that a program has beside these.
    virtual const TemplateReader& templates() const = 0;
    virtual const Pages& in(const text::Catalogue& language) const = 0;

    // For the server, which knows no language.
    /// Returns the CGI variable that has to be read to choose one; "": there is nothing to choose.
    virtual std::string variable() const = 0;
    /// Returns the pages for a request that cannot be read, or fails.
    virtual const Pages& for_failure(std::string_view cookie, std::string_view accept_language) const = 0;
    /// Adds to the answer what `request` chose (pages::remember_language).
    virtual void remember(const http::Request& request, http::Response& response) const = 0;
};

/// Reads the templates of one directory, once per process: login.html, second_step.html, few_codes.html, consent.html,
/// error.html, logout.html, logged_out.html, form_post.html, and what they splice in: head.html, style.css, mark.svg
/// and, if they are there, press_once.js and passkey_login.js. Throws std::runtime_error naming the file when one is
/// missing, not a regular file, over 256 KiB, or uses an unescaped tag. They are in English and in the languages of the
/// directory, as the configuration limits them (text::Languages, which says what else is thrown). `settings` must
/// outlive them. A template that is no mustache is found when it is parsed.
std::unique_ptr<const PageBook> read_pages(const std::string& directory, const oauth::Settings& settings,
                                           Parsing parsing = Parsing::at_once);

}  // namespace postern::pages
