// Decides who passes, and what those who do not are answered.
#include "gate/step.h"

#include <variant>

namespace postern::gate {
namespace {

struct VerdictOf {
    Verdict operator()(const oauth::IssueCode&) const { return Verdict::pass; }
    Verdict operator()(const oauth::ShowMayNotUse&) const { return Verdict::may_not_use; }
    Verdict operator()(const oauth::Refuse& refuse) const {
        return refuse.error.code == oauth::ErrorCode::access_denied ? Verdict::may_not_use : Verdict::sign_in;
    }
    /// Whatever authorize would show (GATE-13).
    Verdict operator()(const auto&) const { return Verdict::sign_in; }
};

Answer answer_to_unknown(Way way, RequestKind kind) {
    switch (kind) {
        case RequestKind::navigation:
            return way == Way::subrequest ? Answer::redirect_401 : Answer::redirect;
        case RequestKind::form:
            return way == Way::subrequest ? Answer::sign_in_text : Answer::sign_in_page;
        case RequestKind::other:
            break;
    }
    return Answer::sign_in_text;
}

}  // namespace

model::AuthorizationRequest silent_request(const model::Client& client) {
    model::AuthorizationRequest request;
    request.client_id = client.id;
    request.scope = client.scope;
    request.prompt = {model::Prompt::none};
    if (client.site) request.max_age = client.site->max_age;
    return request;
}

Verdict verdict_of(const oauth::AuthorizationInput& input, util::Time signed_in_at) {
    // Without a site nothing passes, whatever the client may do elsewhere.
    if (!input.client.site || !input.client.enabled) return Verdict::sign_in;
    const auto ttl = input.client.site->session_ttl;
    if (ttl && (input.now >= signed_in_at + *ttl || signed_in_at > input.now + util::Seconds{60}))
        return Verdict::sign_in;
    return std::visit(VerdictOf{}, oauth::next_step(input));
}

Answer answer_of(Verdict verdict, Way way, RequestKind kind) {
    switch (verdict) {
        case Verdict::pass:
            return Answer::pass;
        case Verdict::may_not_use:
            return kind == RequestKind::other || way == Way::subrequest ? Answer::refuse_text : Answer::refuse_page;
        case Verdict::sign_in:
            break;
    }
    return answer_to_unknown(way, kind);
}

}  // namespace postern::gate
