// Decides what becomes of a signed text that was used before, and of one that there is no room to remember.
#include "oauth/single_use.h"

#include "db/error.h"

namespace postern::oauth {
namespace {

constexpr util::Seconds kRetryWhenCrowded{60};

store::Marked mark_in(Context& context, db::Database& marks, store::ReplayKind kind, const store::Mark& mark,
                      const model::ClientId& client) {
    try {
        return store::mark_used(marks, kind, mark, store::room_of_kind(context.settings.replays_size), context.now());
    } catch (const db::StoreError& error) {
        context.trail.add(audit::Event::replay_store_full, {{"reason", error.what()}, audit::client(client)});
        throw;
    }
}

}  // namespace

Outcome<void> use_once(Context& context, db::Database& marks, store::ReplayKind kind, const store::Mark& mark,
                       const model::ClientId& client, const SingleUse& words) {
    switch (mark_in(context, marks, kind, mark, client)) {
        case store::Marked::first:
            return {};
        case store::Marked::again:
            context.trail.add(words.replayed, {audit::client(client)});
            return make_error(words.again, words.description, words.again_detail);
        case store::Marked::crowded:
            break;
    }
    context.trail.add(audit::Event::replay_store_full,
                      {{"reason", "the sender has used its share"}, audit::client(client)});
    OAuthError error = make_error(words.crowded, words.crowded_description, words.crowded_detail);
    error.http_status = 429;
    error.retry_after = kRetryWhenCrowded;
    return error;
}

}  // namespace postern::oauth
