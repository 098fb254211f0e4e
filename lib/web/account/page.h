// The pages of a user's account: what they are told, never how they look.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/message.h"
#include "login/passkey_offer.h"
#include "pages/renderer.h"
#include "text/message.h"

namespace postern::web {

/// The values that every page of the account has around its own content.
struct AccountFrame {
    std::string overview;   ///< URL of the first page
    std::string logout;     ///< URL of the logout page, or "": not offered
    text::Message done;     ///< the change that has just been made, or ""
    text::Message problem;  ///< why nothing was changed, or ""
    std::string action;     ///< URL that the page's forms post to
    std::string csrf;
    std::string state_parameter = {};  ///< of the query that shows this state of the page: "edit"; "": of none
};

/// A page of the account and its state, as the overview lists them.
struct AccountRow {
    text::Message name;
    text::Message state;  ///< "3", "kept by your organisation"
    std::string url;      ///< "": it is only told
};

struct OverviewPage {
    AccountFrame frame;
    std::string name;  ///< the claim, or ""
    std::string username;
    std::string subject;  ///< `sub`, to quote when asking for help
    std::vector<std::string> groups;
    std::vector<AccountRow> rows;
};

struct PasswordPage {
    enum class Wrong { none, present, fresh };
    AccountFrame frame;
    Wrong wrong = Wrong::none;  ///< the field that `frame.problem` is about
    std::string username;       ///< for password managers
    std::string min_length;     ///< of a new password, in characters
    enum class Asks { present_and_new, new_alone, nothing };
    Asks asks = Asks::present_and_new;  ///< nothing: there is no form, for the password cannot be changed now
};

struct ListedDevice {
    text::Message name;   ///< "Firefox on Linux"
    std::string address;  ///< or "": not kept
    text::Message since;
    text::Message last_seen;
    std::string sid;       ///< names it in the form
    bool is_this = false;  ///< the session that the page is shown in
};

/// A browser that is not asked for the second factor.
struct ListedRemembered {
    text::Message name;
    text::Message since;
    text::Message last_used;
    text::Message until;
    std::string id;  ///< names it in the form
};

struct DevicesPage {
    AccountFrame frame;
    std::vector<ListedDevice> devices;         ///< this one first; the latest use of the others
    std::int64_t more = 0;                     ///< that are not among `devices`
    std::vector<ListedRemembered> remembered;  ///< the latest use first
};

struct ListedApplication {
    std::string client_id;  ///< names it in the form
    text::Message name;
    std::string host;  ///< where its answers go; of one that registered itself all places
    bool first_party = false;
    bool unchecked = false;  ///< a document describes it, or it registered itself without a token
    std::vector<text::Message> permissions;
    text::Message since;
    text::Message last_used;  ///< or "": nothing was given to it that still lives
};

struct ApplicationsPage {
    AccountFrame frame;
    std::vector<ListedApplication> applications;
};

/// The key of an app that can be turned on, in every way in which an app takes it.
struct AppKey {
    std::string text;    ///< base32 in groups of four; "" where no app is set up
    std::string link;    ///< otpauth URL
    std::string path;    ///< the QR code of `link` (text::QrSvg), or "": it cannot be drawn
    std::string size;    ///< of its view
    std::string sealed;  ///< seal_new_app
};

/// Either the app that is on, or one that can be turned on.
struct AppPage {
    AccountFrame frame;
    // The app that is on; "" when one is set up:
    text::Message since;
    text::Message last_used;  ///< or "": not yet
    std::string another;      ///< URL of the page that sets up another
    bool ends_codes = false;  ///< the recovery codes end when it is removed
    AppKey key;               ///< of the app that can be turned on
};

struct ListedPasskey {
    std::string name;
    std::string id;       ///< names it in the form
    text::Message state;  ///< "synchronised", "suspended"
    text::Message since;
    text::Message last_used;  ///< or "": not yet
};

/// Either the passkeys that there are, or the form that adds one.
struct PasskeysPage {
    AccountFrame frame;
    // The list:
    std::vector<ListedPasskey> passkeys;
    bool wants_second = false;  ///< the only one is lost with its device
    bool ends_codes = false;    ///< the recovery codes end when the only one is removed
    std::string another;        ///< URL of the form; "": there are as many as there can be
    std::string accepted;  ///< JSON for signalAllAcceptedCredentials (WebAuthn §5.1.10.3); "": nothing has changed
    // The form; "" with the list:
    login::NewPasskey fresh;
    std::string list;  ///< URL of the list
};

/// One line of the activity.
struct ListedActivity {
    text::Message text;    ///< "Signed in with a password"
    text::Message detail;  ///< which passkey or application, or ""
    text::Message when;
    text::Message where;  ///< "Firefox on Linux, 192.0.2.1"
};

struct ActivityPage {
    AccountFrame frame;
    std::vector<ListedActivity> lines;  ///< the latest first
};

struct ListedClaim {
    text::Message label;
    text::Message value;
};

struct ClaimField {
    std::string name;  ///< of the claim and of the field
    text::Message label;
    std::string type;
    std::string autocomplete;
    std::string value;
    bool is_data = false;   ///< written from left to right in every language
    bool is_wrong = false;  ///< `frame.problem` is about it
};

/// Either what is known about the user, or the form that changes some of it.
struct ProfilePage {
    AccountFrame frame;
    // The list:
    std::string username;
    std::vector<ListedClaim> claims;
    std::string keeper;   ///< who keeps what is not changed here: a host
    std::string edit;     ///< URL of the form; "": nothing can be changed
    std::string subject;  ///< `sub`
    std::vector<std::string> groups;
    // The form; "" with the list:
    std::vector<ClaimField> fields;
    std::string sent;  ///< their names, with blanks between them
    std::string list;  ///< URL of the list
};

struct CodesPage {
    enum class Kind {
        none,   ///< the user has no second factor, and so no codes
        left,   ///< how many are left
        asks,   ///< whether new ones are to be made
        shown,  ///< the new ones, this once
    };
    AccountFrame frame;
    Kind kind = Kind::none;
    text::Message left;              ///< of `left`
    std::string another;             ///< of `left`: URL of `asks`
    std::string stamp;               ///< of `asks`: `users.stamp`, so that a second press makes none
    std::vector<std::string> codes;  ///< of `shown`, in groups of four
    std::string next;                ///< of `shown`: URL of what comes after it
};

/// The values that a page of a half login has around its own content.
struct HalfLoginFrame {
    std::string username;  ///< whose password was right
    std::string action;    ///< URL that the page's forms post to
    std::string csrf;
    std::string resume;         ///< the sealed request, with the half login
    std::string other_account;  ///< URL of the login page for the same request
};

/// The page of a login that must have a second factor, for a user who has none.
struct EnrolmentPage {
    HalfLoginFrame frame;
    text::Message app_problem;      ///< what went wrong with the app last time, or ""
    text::Message passkey_problem;  ///< the same for the passkey
    login::NewPasskey passkey;      ///< either may be missing
    AppKey key;
};

/// The page of a login whose password must be changed first.
struct PasswordChangePage {
    HalfLoginFrame frame;
    std::string min_length;
    text::Message problem;  ///< why the new password was refused, or ""
};

/// Makes the pages of the account. An interface, as Pages is, so that no other program carries them.
class AccountPages {
public:
    AccountPages() = default;
    AccountPages(const AccountPages&) = delete;
    AccountPages& operator=(const AccountPages&) = delete;
    virtual ~AccountPages() = default;

    virtual http::Response overview(const OverviewPage& page) const = 0;
    virtual http::Response password(const PasswordPage& page, int status) const = 0;
    virtual http::Response devices(const DevicesPage& page) const = 0;
    virtual http::Response applications(const ApplicationsPage& page) const = 0;
    virtual http::Response app(const AppPage& page, int status) const = 0;
    virtual http::Response passkeys(const PasskeysPage& page) const = 0;
    virtual http::Response activity(const ActivityPage& page) const = 0;
    virtual http::Response profile(const ProfilePage& page) const = 0;
    virtual http::Response codes(const CodesPage& page) const = 0;
    virtual http::Response enrolment(const EnrolmentPage& page) const = 0;
    virtual http::Response password_change(const PasswordChangePage& page) const = 0;
};

/// The templates of `read` whose names begin with account, and what they splice in: account_top.html,
/// account_message.html, account_app_key.html, account_new_passkey.html, new_password.html, passkey_add.js and the
/// files that every page splices in (pages::read_pages, which says what is thrown).
std::unique_ptr<const pages::InLanguages<AccountPages>> read_account_pages(const pages::TemplateReader& read);

}  // namespace postern::web
