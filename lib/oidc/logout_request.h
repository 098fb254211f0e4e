// The request of a client that sends a browser to log out (OpenID Connect RP-Initiated Logout 1.0 §2), on its way
// through the browser, and the end of the session.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/params.h"
#include "model/ids.h"
#include "model/session.h"
#include "oauth/context.h"
#include "oauth/sealed_request.h"
#include "oauth/settings.h"
#include "refusal/reason.h"
#include "util/clock.h"
#include "util/result.h"

namespace postern::oidc {

inline constexpr std::size_t kMaxLogoutBytes = oauth::kMaxRequestBytes;  ///< of the values that travel on together
inline constexpr std::size_t kMaxLogoutStateBytes = oauth::kMaxStateBytes;

/// A request whose hint, if there was one, is verified. Its address is not: `verify_post_logout_redirect` does that.
struct LogoutRequest {
    std::string id;                                ///< random, names the request on the confirmation form
    std::optional<model::Subject> hinted_subject;  ///< the user that the verified id_token_hint names; nullopt: no hint
    std::optional<model::ClientId> client_id;      ///< the audience of the hint, else as sent
    std::optional<std::string> redirect_uri;       ///< post_logout_redirect_uri as sent
    std::optional<std::string> state;
    util::Time expires_at{};
};

/// The reason why a request is answered with a page, and nothing is ended.
struct LogoutRefusal {
    refusal::Reason reason;
    std::string client_id;   ///< as sent or hinted, cut
    std::string log_detail;  ///< for the operator
};

/// Reads the request. The `sid` of the hint is ignored: its session may have expired or been replaced by another of the
/// same user, and the client wants the user logged out.
util::Result<LogoutRequest, LogoutRefusal> parse_logout_request(oauth::Context& context, const http::Params& params);

/// The reason why an address that was asked for is not followed although nothing is wrong with the request.
struct NotFollowed {
    refusal::Reason reason;
    std::string detail;  ///< for the operator
};

/// The place to which the browser goes when the user is logged out. Only `verify_post_logout_redirect` makes one with
/// an address.
class AfterLogout {
public:
    /// Returns the registered address with `state` as the only addition; nullopt: a page of ours.
    const std::optional<std::string>& url() const { return url_; }
    /// Returns whether a hint shows that the client sent the browser. Otherwise the address may be followed only on the
    /// user's word.
    bool is_proved() const { return is_proved_; }
    const std::optional<NotFollowed>& not_followed() const { return not_followed_; }

private:
    friend util::Result<AfterLogout, LogoutRefusal> verify_post_logout_redirect(oauth::Context&, const LogoutRequest&);
    std::optional<std::string> url_;
    bool is_proved_ = false;
    std::optional<NotFollowed> not_followed_;
};

/// An address has a url() when a verified hint or a client_id names a client that registered it, byte for byte, and
/// that nothing bars. With a client_id alone any site can have sent the browser here (§3): is_proved() is false. A
/// removed or barred client has no registered address: then the user is logged out and not redirected. An address that
/// a known client has not registered is refused. docs/decisions/0091
util::Result<AfterLogout, LogoutRefusal> verify_post_logout_redirect(oauth::Context& context,
                                                                     const LogoutRequest& request);

struct SealedLogout {
    LogoutRequest request;
    /// The browser that the request belongs to, as in oauth::SealedRequest, or "" for a request that was posted by
    /// another site, which is worth no more than the same request in an address.
    std::string browser;
};

std::string seal_logout(oauth::Context& context, const SealedLogout& sealed);
util::Result<SealedLogout, oauth::SealFault> open_logout(oauth::Context& context, std::string_view text);

/// Ends the session, every grant given in it that is not for offline access, and the requests for which the user has
/// logged in or decided and that have no answer yet. They end together or not at all, and durably before the answer: a
/// logout that the user saw must not come undone. Other sessions of the user live on; a request that is open there asks
/// once more.
void end_session(oauth::Context& context, const model::Session& session);

}  // namespace postern::oidc
