// Records the tokens of an answer of the authorization endpoint, once per request.
#include "oauth/issue_front.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "oauth/answer_size.h"
#include "oauth/issue_grant.h"
#include "oauth/record_grant.h"
#include "oauth/session_note.h"
#include "store/access_tokens.h"
#include "store/grants.h"
#include "store/users.h"
#include "util/percent.h"

namespace postern::oauth {
namespace {

/// The interface specification: `aud` comes from a token request only, and there is none. So the profile is its own,
/// too, because RFC 9068 §2.2 demands an audience.
std::optional<AccessTokenIssue> make_front_access_token(Context& context, const model::Grant& grant) {
    const auto user = store::find_user(context.store, grant.subject);
    if (!user) return std::nullopt;
    return make_access_token(context, {grant, grant.scope, {}, user->username});
}

std::size_t bytes_of(const FrontAnswer& answer) {
    if (!answer.access) return 0;
    return answer.access->value.size() + util::percent_encode(answer.grant.scope.to_string()).size();
}

/// Inserts what the tokens of the answer belong to; an ID token alone belongs to nothing.
void insert(db::Transaction& transaction, const model::Grant& grant, const std::optional<CodeIssue>& code,
            const std::optional<AccessTokenIssue>& access) {
    if (!code && !access) return;
    const util::Time until =
        std::max(code ? code->record.expires_at : util::Time{}, access ? access->record.expires_at : util::Time{});
    insert_new_grant(transaction, grant, until);
    if (code) store::insert_code(transaction, code->record);
    if (access) store::insert_access_token(transaction, access->record, until);
}

void audit_tokens(Context& context, const FrontAnswer& answer) {
    if (!answer.access && !model::yields_id_token(answer.request.response_type)) return;
    const model::Grant& grant = answer.grant;
    std::vector<audit::Member> members = {
        {"grant_type", "implicit"},
        {"response_type", std::string(to_string(answer.request.response_type))},
        audit::credential("access_token", answer.access ? answer.access->record.token_hash : model::ValueHash()),
        {"scope", grant.scope.to_string()},
        {"request_object", answer.request.request_object.value_or("")}};
    if (answer.access || answer.code)
        members = audit::with_grant(grant, members);
    else
        members.insert(members.begin(),
                       {audit::client(grant.client_id), audit::subject(grant.subject), audit::session(grant.sid)});
    context.trail.add(audit::Event::token_issued, std::move(members));
}

}  // namespace

util::Result<FrontTokens, NotIssued> issue_front_tokens(Context& context, const VerifiedRedirect& target,
                                                        const Approval& approval,
                                                        const MakeFrontIdToken& make_id_token) {
    const model::ResponseType type = approval.request.response_type;
    const model::Grant grant = make_grant(context, approval);
    FrontAnswer answer{target.client(), grant, approval.request};
    std::optional<CodeIssue> code;
    if (model::yields_code(type)) {
        code = make_code(context, approval.request, grant);
        answer.code = code->value;
    }
    if (model::yields_token(type)) {
        answer.access = make_front_access_token(context, grant);
        if (!answer.access) return NotIssued::session_ended;
    }
    FrontTokens tokens;
    if (model::yields_id_token(type)) {
        answer.claim_bytes = room_for_claims(target, bytes_of(answer), kMaxClaimBytes);
        tokens.id_token = make_id_token(answer);
    }
    const auto note = tokens.id_token ? session_note_of(context.settings, target.client(), grant) : SessionNote::none;
    const auto record = [&](db::Transaction& transaction) {
        insert(transaction, grant, code, answer.access);
        if (!make_session_note(transaction, note, grant, grant.created_at))
            throw std::logic_error("record_grant has seen the session");
    };
    // A client that has an ID token must not be forgotten: it would not be told of the session's end.
    RETURN_IF_ERROR(record_grant(context, approval, grant, record,
                                 note == SessionNote::wanted ? db::Durability::full : db::Durability::lazy));
    if (code) audit_code(context, approval.request, grant, *code);
    audit_tokens(context, answer);

    tokens.code = std::move(answer.code);
    if (answer.access) {
        tokens.access_token = std::move(answer.access->value);
        tokens.expires_in = answer.access->record.expires_at - answer.access->record.issued_at;
        tokens.scope = grant.scope;
    }
    return tokens;
}

}  // namespace postern::oauth
