// A browser as far as this protocol needs one: it keeps cookies, follows redirects within the issuer, fills in forms,
// and stops where the client would take over.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/deployment.h"
#include "support/query.h"

namespace postern::test {

/// The end of following redirects: a page of the server, or an address that is not the server's.
struct Landing {
    std::string url;
    Answer answer;                     ///< the page, or the answer that led away
    bool left = false;                 ///< `url` is not the issuer's
    std::vector<std::string> visited;  ///< every address of the server on the way, the last one included
    std::string mode;                  ///< how the client is told: "query", "fragment", "form_post"; "" when not `left`
    std::map<std::string, std::string> posted = {};  ///< what the page of form_post sends

    /// Returns a parameter that was sent to the client in that mode, or "".
    std::string parameter(std::string_view name) const;
    /// Returns the kind of the landing: "login", "second step", "app" (one that can be turned on), "new passkey" (where
    /// none is), "codes" (new ones), "consent", "logout" (the question), "page 400"; at the client the error, "token",
    /// "code" or "id_token", the first of them that is there.
    std::string verdict() const;
};

/// Returns the answer as the client gets it; nullopt when it does not lead away from the server.
std::optional<Landing> leave(const Deployment& deployment, const Answer& answer);

class UserAgent {
public:
    explicit UserAgent(const Deployment& deployment, std::string address = "192.0.2.7");

    /// Sends one request and follows no redirect.
    Answer fetch(const std::string& url);
    Answer send(const std::string& url, const std::string& form,
                const std::vector<std::pair<std::string, std::string>>& headers = {});

    Landing open(const std::string& url);
    /// Opens the authorization endpoint.
    Landing authorize(const Query& request);
    /// Fills in the form of the page and presses the button with that id; fails the test when either is not there.
    Landing submit(const Landing& page, const std::string& button,
                   const std::map<std::string, std::string>& typed = {});
    /// Goes on with an answer that was got by `fetch` or `send`.
    Landing follow(const std::string& url, Answer answer);

    Landing log_in(const Landing& page, const std::string& username = kAlice,
                   const std::string& password = kAlicePassword);
    Landing approve(const Landing& page) { return submit(page, "approve"); }
    Landing deny(const Landing& page) { return submit(page, "deny"); }
    /// Goes from the authorization endpoint to the client, logging in as Alice and approving where asked.
    Landing sign_in(const Query& request);
    /// Returns the code that `sign_in` brings; fails the test without a code.
    std::string obtain_code(const Query& request);

    /// Returns the form that pressing the button would send.
    std::string form_of(const Landing& page, const std::string& button,
                        const std::map<std::string, std::string>& typed = {}) const;

    std::map<std::string, std::string>& cookies() { return cookies_; }
    /// Returns the header Accept-Language of all its requests; "": no header.
    std::string& accept_language() { return accept_language_; }
    /// Returns the variables that the web server's own modules set for this browser at the login endpoint alone.
    std::map<std::string, std::optional<std::string>>& login_variables() { return login_variables_; }
    /// Returns the one cookie of the session, or "".
    std::string session_cookie() const;
    std::string browser_cookie() const;
    /// Returns the cookie of a remembered device, or "".
    std::string device_cookie() const;

private:
    Answer exchange(const std::string& url, CgiRequest request);
    void take_cookies(const Answer& answer);
    std::string cookie_named(const std::string& infix) const;
    const Deployment& deployment_;
    std::string address_;
    std::string accept_language_;
    std::map<std::string, std::string> cookies_;
    std::map<std::string, std::optional<std::string>> login_variables_;
};

}  // namespace postern::test
