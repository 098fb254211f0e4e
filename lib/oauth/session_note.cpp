// Decides for which ID tokens a note of the session is kept.
#include "oauth/session_note.h"

#include "oauth/logout_uris.h"
#include "store/session_clients.h"
#include "store/users.h"

namespace postern::oauth {

SessionNote session_note_of(const Settings& settings, const model::Client& client, const model::Grant& grant) {
    const bool is_wanted = !grant.sid.empty() && is_told_of_logouts(settings, client.logout);
    return is_wanted ? SessionNote::wanted : SessionNote::none;
}

void lock_session(db::Transaction& transaction, SessionNote note, const model::Grant& grant) {
    if (note == SessionNote::wanted) store::lock_user(transaction, grant.subject);
}

bool make_session_note(db::Transaction& transaction, SessionNote note, const model::Grant& grant, util::Time now) {
    return note == SessionNote::none ||
           store::note_session_client(transaction, grant.subject, grant.sid, grant.client_id, now);
}

store::LogoutNotices logout_notices(const Context& context) {
    return logout_notices(context.settings, context.random, context.logout_wake);
}

store::LogoutNotices logout_notices(const Settings& settings, crypto::Random& random, os::WakeFile* wake) {
    return {.has_clients = settings.backchannel_logout || settings.frontchannel_logout,
            .backchannel = settings.backchannel_logout,
            .random = &random,
            .wake = wake};
}

}  // namespace postern::oauth
