// Decides whether a redirect_uri is acceptable. Nothing is sent to an address that did not pass here (RFC 6749 §3.1.2,
// RFC 9700 §2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/params.h"
#include "model/authorization.h"
#include "model/client.h"
#include "oauth/context.h"
#include "refusal/reason.h"
#include "util/result.h"

namespace postern::oauth {

/// The reason why a request stays on a page of ours: the client or its redirect_uri could not be trusted (RFC 6749
/// §4.1.2.1).
struct RedirectRefusal {
    refusal::Reason reason;
    std::string client_id;   ///< as sent
    std::string log_detail;  ///< registered and received value and where they differ
};

/// A client with an address it registered, and the state to return there. Only `verify_redirect` makes one, so
/// redirecting to an unverified target does not compile.
class VerifiedRedirect {
public:
    const model::Client& client() const { return client_; }
    /// Returns the registered string, or for a native client's loopback address that of the request.
    const std::string& uri() const { return uri_; }
    bool sent() const { return sent_; }  ///< false: the request named no redirect_uri
    const std::optional<std::string>& state() const { return state_; }
    const std::string& issuer() const { return issuer_; }
    model::ResponseMode mode() const { return mode_; }  ///< of success and of errors
    /// The part of the document that the request keeps; nullopt for a client of the operator.
    const std::optional<model::SeenDocument>& document() const { return document_; }

private:
    friend util::Result<VerifiedRedirect, RedirectRefusal> verify_redirect(Context&, const model::ClientId&,
                                                                           const http::Params&, const std::string&);
    friend util::Result<VerifiedRedirect, RedirectRefusal> verify_redirect(Context&, const model::AuthorizationRequest&,
                                                                           const std::string&);
    VerifiedRedirect() = default;
    model::Client client_;
    std::string uri_;
    bool sent_ = true;
    std::optional<std::string> state_;
    std::string issuer_;
    model::ResponseMode mode_ = model::ResponseMode::query;
    std::optional<model::SeenDocument> document_;
};

/// `state` is kept when it is well-formed, and every answer returns it (RFC 6749 §4.1.2.1): one with which the URL of
/// an answer would have more than kMaxAnswerBytes is refused here, on a page. docs/decisions/0093
/// `address` as in find_document_client.
util::Result<VerifiedRedirect, RedirectRefusal> verify_redirect(Context& context, const http::Params& params,
                                                                const std::string& address = {});

/// Verifies the redirect URI of a client that proved its id in another way than by the parameter client_id, which is
/// not looked at.
util::Result<VerifiedRedirect, RedirectRefusal> verify_redirect(Context& context, const model::ClientId& client_id,
                                                                const http::Params& params, const std::string& address);

/// Verifies the redirect URI of a request that has travelled: the client may have been disabled or changed meanwhile. A
/// client that its document describes is what the request keeps of it; where the context has a fetcher, the document is
/// read again, and must not have changed.
util::Result<VerifiedRedirect, RedirectRefusal> verify_redirect(Context& context,
                                                                const model::AuthorizationRequest& request,
                                                                const std::string& address = {});

/// Returns the bytes of the URL of an answer with `state`, and nothing else but what each answer has: a code or an
/// error.
std::size_t answer_bytes(const VerifiedRedirect& target);

/// Returns the address to answer at when `received` is one of the client's: byte-equal, but for http://127.0.0.1,
/// http://[::1] and http://localhost of native clients, whose port is free (RFC 8252 §7.3), and where no path is the
/// path `/`. nullopt otherwise.
std::optional<std::string> match_redirect_uri(const model::Client& client, std::string_view received);

}  // namespace postern::oauth
