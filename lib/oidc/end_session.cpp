// Ends a session with the grants and the tokens that hang on it.
#include "oidc/end_session.h"

#include "db/write.h"
#include "store/authorization_requests.h"
#include "store/grants.h"
#include "store/sessions.h"

namespace postern::oidc {

void end_session(oauth::Context& context, const model::Session& session) {
    const auto ended = db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) {
        store::remove_session(transaction, session);
        store::end_open_requests(transaction, session.subject);
        const auto count = store::end_grants_of_session(transaction, session.sid, context.now());
        transaction.commit();
        return count;
    });
    context.trail.add(
        audit::Event::logout,
        {audit::subject(session.subject), audit::session(session.sid), {"grants_ended", std::to_string(ended)}});
}

}  // namespace postern::oidc
