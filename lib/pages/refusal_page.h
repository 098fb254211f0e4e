// The page on which a request ends: it tells what happened, and who can fix it.
#pragma once

#include <string>
#include <vector>

#include "http/message.h"
#include "oauth/redirect_uri.h"
#include "pages/page.h"
#include "refusal/reason.h"

namespace postern::pages {

/// The facts that the page of a refusal shows beside its reason.
struct RefusalFacts {
    std::string client_id = {};
    std::string detail = {};     ///< for the operator
    std::string issuer = {};     ///< named where another address of this server would explain it
    std::string try_again = {};  ///< URL that starts the same sign-in over, or ""
    std::string sign_out = {};   ///< URL of the question whether to sign out, for a logout, or ""
    std::string account = {};    ///< URL of the account, where the user can change what is missing, or ""
    // For link_not_good:
    std::string recover = {};  ///< URL of the page that mails another link, or ""
    // For access_refused:
    text::Message client_name = {};
    std::string username = {};
    std::string other_account = {};  ///< URL that starts the same sign-in over with the login page
    std::string back = {};           ///< URL that tells the application; of document_error, too
    std::string host = {};           ///< where `back` leads, for document_error
};

/// Returns the page of `reason`, or of the error that it is a case of, with the refusal recorded under the request's
/// id. Throws std::logic_error for a reason that no page tells.
http::Response refusal_page(const Pages& pages, const http::Request& request, refusal::Reason reason,
                            const RefusalFacts& facts);

/// Returns the reasons that have a page of their own.
std::vector<refusal::Reason> reasons_with_page();

/// Returns the page of a request whose redirect_uri is not trusted: it is not redirected (RFC 6749 §4.1.2.1).
http::Response refusal_page(const Pages& pages, const http::Request& request, const oauth::RedirectRefusal& refusal);

}  // namespace postern::pages
