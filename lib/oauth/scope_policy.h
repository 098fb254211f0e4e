// The scope that a request gets (RFC 6749 §3.3)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/claim_names.h"
#include "model/client.h"
#include "model/grant.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// openid profile email address phone offline_access: they exist only with OpenID Connect.
const model::Scope& openid_scopes();

/// Reads a list as clients send it: blanks are between words, however many, and a list without a word is empty.
/// nullopt: a word is none, or there are too many. docs/decisions/0090
std::optional<model::Scope> read_words(std::string_view list);

/// Returns the scopes that discovery names as `scopes_supported` (RFC 8414 §2): the OpenID ones, and those of
/// `scopeDescriptions`.
model::Scope known_scopes(const Settings& settings);

/// A judged list of words.
struct AskedScope {
    model::Scope scope;
    model::Scope ignored;
    bool by_name = false;  ///< the request named words; otherwise `scope` is the default
};

/// Judges the list of a request without a grant: at the authorization endpoint, and of client credentials. A word is
/// given if the client may ask for it. Where `openid` is requested, a word is ignored that the issuer does not know and
/// the client is not registered for (OpenID Connect Core §3.1.2.1). Any other word makes the list invalid_scope: there
/// is no silent reduction. Without a word the client gets its registered scopes except the OpenID ones, possibly none.
/// `offline_access` needs no registration, except of clients that registered themselves: registration.scope may lack
/// it. With OpenID Connect off its scopes are unknown. A client that a document describes gets no scope that
/// `clientDocuments.scope` does not have, and one that registered without a token, unless the operator has decided
/// about it, none that `registration.scope` does not have. docs/decisions/0090
Outcome<AskedScope> judge_scope(const Settings& settings, const model::Client& client,
                                std::optional<std::string_view> requested);

/// Judges the same list for a request that a user approves, and logs the words that are ignored, because an application
/// may need them.
Outcome<AskedScope> read_scope(Context& context, const model::Client& client,
                               std::optional<std::string_view> requested);

/// Judges the list of a request that has a grant (RFC 6749 §6): a word is given if the grant has it and the client is
/// still registered for it, so the scope is never wider. What the grant's own request was not given, what the operator
/// took away since, and what `judge_scope` ignores, is left out. Any other word, and a list of which nothing is left,
/// is invalid_scope. Without a word the scope is all that the client is still registered for.
Outcome<model::Scope> judge_repeated_scope(const Settings& settings, const model::Client& client,
                                           const model::Grant& grant, std::optional<std::string_view> requested);

/// invalid_scope unless the client may ask for each word.
Outcome<void> check_registered(const Settings& settings, const model::Client& client, const model::Scope& asked);

/// Returns the part that is left of a granted scope for a client whose registration may have changed since.
model::Scope still_registered(const Settings& settings, const model::Client& client, const model::Scope& granted);
/// Returns the claims that are left of those granted by name: each hangs on a scope that releases it.
model::ClaimNames still_registered(const Settings& settings, const model::Scope& registered,
                                   const model::ClaimNames& granted);

}  // namespace postern::oauth
