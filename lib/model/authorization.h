// An authorization request, and its progress (RFC 6749 §4.1.1, OpenID Connect Core
// §3.1.2.1).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "model/authentication.h"
#include "model/claim_names.h"
#include "model/ids.h"
#include "model/resource.h"
#include "model/response_mode.h"
#include "model/response_type.h"
#include "model/scope.h"
#include "util/clock.h"

namespace postern::model {

enum class Prompt { none, login, consent, select_account };

/// The part of a client's document that a request keeps, from the first look at it until the user approves: nothing is
/// stored before.
struct SeenDocument {
    std::string digest;  ///< of what this server reads of it (oauth::digest_of)
    std::string name;    ///< shown to users
};

/// The demand of a request on the login (OpenID Connect Core §3.1.2.1, §5.5.1.1), as far as this server knows the
/// values.
struct RequestedAcr {
    std::string names;                ///< in the client's order, with single blanks between them; "": none
    Level wished = Level::unknown;    ///< the least that is worth one of them; unknown: none
    Level demanded = Level::unknown;  ///< the same of an essential claim, which must be met
};

/// A login whose first half is done: a right password, or a session whose level is too low. It travels in the seal of a
/// request and is worth the second page, nothing else: nothing is stored for it.
struct HalfLogin {
    Subject subject;
    std::int64_t stamp = 0;  ///< of the user (users.stamp); the half login is void when it has grown
    util::Time expires_at{};
    Authentication done;                       ///< what was proved already
    Sid sid;                                   ///< of the session that is to be raised; "": a new one begins
    bool must_change_password = false;         ///< before the login is whole
    std::optional<util::Time> auth_time = {};  ///< of a login by the web server; nullopt: when the login is whole
};

/// The push that a request came by (RFC 9126). Each opening of its address is a request with an id of its own.
struct Pushed {
    std::string id;           ///< random, 256 bits; names the push while it travels sealed
    util::Time used_until{};  ///< no request of the push lives longer, nor does the mark that one of them was answered

    bool operator==(const Pushed&) const = default;
};

/// A validated request: client and redirect_uri are verified, every other value obeys its grammar.
struct AuthorizationRequest {
    std::string id;  ///< random, 128 bits or more; names the request while it travels sealed
    ClientId client_id;
    std::string redirect_uri;       ///< where the answer goes: the registered string (port excepted for native clients)
    bool redirect_uri_sent = true;  ///< false: it was omitted, so the token request may omit it too (RFC 6749 §4.1.3)
    Scope scope;
    Scope ignored_scope;  ///< words of the request that are not in `scope`
    std::optional<std::string> state;
    std::optional<std::string> nonce;
    std::optional<std::string> code_challenge;  ///< S256
    std::set<Prompt> prompt;
    std::optional<util::Seconds> max_age;
    std::optional<std::string> audience;
    ResourceUris resources;  ///< RFC 8707 §2.1: the `aud` of tokens that may come of it
    ResponseType response_type = ResponseType::code;
    ResponseMode response_mode = ResponseMode::query;
    RequestedClaims claims;
    std::optional<Subject> hinted_subject;  ///< of id_token_hint or a `sub` in `claims`: only this user may answer
    std::optional<std::string> login_hint;  ///< what the login form is filled with
    std::optional<std::string> ui_locales;  ///< language tags with blanks between them, the most wanted first
    util::Time expires_at{};
    bool session_sent = false;  ///< a login without a form has sent the browser its session cookie on the way
    std::optional<SeenDocument> document = std::nullopt;  ///< nullopt: the client is the operator's
    /// The path of the page of the account, or with its query of the page for devices, that a login is for. Then there
    /// is no client, and nothing but `login_hint`, for devices `acr.demanded`, and what says how it travels is set. "":
    /// the login is for the client.
    std::string account_page = {};
    RequestedAcr acr = {};
    std::optional<HalfLogin> half_login = std::nullopt;
    std::optional<Pushed> pushed = std::nullopt;  ///< nullopt: the browser brought the request itself
    std::optional<std::string> dpop_jkt =
        std::nullopt;  ///< thumbprint of the key that must redeem the code (RFC 9449 §10)
    std::optional<std::string> request_object =
        std::nullopt;  ///< short digest of the signed object that it came in (RFC 9101); nullopt: it was not signed
};

enum class Decision { unset, approved, denied };

/// The progress of an authenticated user with a request: the row keyed by the request's id.
struct AuthorizationProgress {
    Subject subject;         ///< the user who logged in for it or decided it
    bool logged_in = false;  ///< a login was made for this very request
    Decision decision = Decision::unset;
    bool used = false;  ///< a code was issued or the denial delivered
};

struct Consent {
    ClientId client_id;
    Subject subject;
    Scope scope;  ///< everything the user ever approved for the client without naming an API
    util::Time granted_at{};
    ClaimNames claims = {};         ///< beyond the scopes
    ResourceScopes resources = {};  ///< of requests that named APIs, which `scope` is not about
};

}  // namespace postern::model
