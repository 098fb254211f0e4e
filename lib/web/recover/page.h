// The pages on which links are asked for and opened: what they are told, never how they look.
#pragma once

#include <memory>
#include <string>

#include "http/message.h"
#include "login/passkey_offer.h"
#include "model/link.h"
#include "pages/renderer.h"
#include "text/message.h"

namespace postern::web {

struct LinkPage {
    model::LinkPurpose purpose = model::LinkPurpose::password;
    std::string username;    ///< whose password it is, and for password managers
    std::string min_length;  ///< of a new password, in characters
    std::string csrf;
    text::Message problem;               ///< why nothing was changed, or ""
    login::NewPasskey passkey = {};      ///< that may be added instead
    text::Message passkey_problem = {};  ///< why none was added, or ""
};

struct LinkDonePage {
    model::LinkPurpose purpose = model::LinkPurpose::password;
    std::string sign_in;       ///< URL of a page behind the login; "": there is none that is no application's
    bool lets_enrol = false;   ///< a first second factor can be set up for some time, and not later
    bool passkey = false;      ///< was added instead of a password
    bool makes_codes = false;  ///< `sign_in` is the page that makes recovery codes
};

struct AskPage {
    std::string csrf;
    text::Message problem;  ///< why nothing was done, or ""
};

/// The page of a link that confirms an e-mail address.
struct EmailLinkPage {
    std::string username;
    std::string email;
    std::string csrf;  ///< "": it is confirmed
};

/// Makes the pages of links. An interface, as Pages is, so that no other program carries them.
class RecoverPages {
public:
    RecoverPages() = default;
    RecoverPages(const RecoverPages&) = delete;
    RecoverPages& operator=(const RecoverPages&) = delete;
    virtual ~RecoverPages() = default;

    /// The form has no address: a browser sends it to where the page is, and so the page does not repeat the link.
    virtual http::Response link(const LinkPage& page) const = 0;
    virtual http::Response link_done(const LinkDonePage& page) const = 0;
    virtual http::Response email_link(const EmailLinkPage& page) const = 0;
    virtual http::Response ask(const AskPage& page, int status) const = 0;
    /// Returns a page that is equal for every caller and every name, byte for byte (MAIL-4).
    virtual http::Response asked() const = 0;
};

/// The templates of `read` whose names begin with recover, and the files that every page splices in
/// (pages::read_pages, which says what is thrown).
std::unique_ptr<const pages::InLanguages<RecoverPages>> read_recover_pages(const pages::TemplateReader& read);

}  // namespace postern::web
