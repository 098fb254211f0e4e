// Gives a client the access token that a user's approval is worth.
#include "oauth/issue_token.h"

#include "oauth/access_token.h"
#include "store/access_tokens.h"
#include "store/users.h"

namespace postern::oauth {

util::Result<ImplicitToken, NotIssued> issue_token(Context& context, const Approval& approval) {
    const auto user = store::find_user(context.store, approval.session.subject);
    if (!user) return NotIssued::session_ended;
    const model::Grant grant = make_grant(context, approval);
    // The interface specification: `aud` comes from a token request only, and there is none. So the profile is its own,
    // too, because RFC 9068 §2.2 demands an audience.
    const AccessTokenIssue token = make_access_token(context, {grant, grant.scope, {}, user->username});

    const auto insert = [&](db::Transaction& transaction) {
        store::insert_access_token(transaction, token.record, token.record.expires_at);
    };
    RETURN_IF_ERROR(record_grant(context, approval, grant, token.record.expires_at, insert));
    context.trail.add(audit::Event::token_issued,
                      audit::with_grant(grant, {{"grant_type", "implicit"},
                                                audit::credential("access_token", token.record.token_hash),
                                                {"scope", grant.scope.to_string()}}));
    return ImplicitToken{token.value, grant.scope, context.settings.access_token_ttl};
}

}  // namespace postern::oauth
