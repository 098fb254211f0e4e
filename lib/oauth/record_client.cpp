// Keeps clients that the operator did not register, for as long as users sign in to them.
#include "oauth/record_client.h"

#include <algorithm>

#include "oauth/client_document.h"
#include "store/clients.h"
#include "store/consents.h"

namespace postern::oauth {
namespace {

using Recorded = util::Result<RecordedClient, NotIssued>;

util::Time removable_at(const Context& context, model::Origin origin) {
    const Settings& settings = context.settings;
    return context.now() +
           (origin == model::Origin::document ? settings.client_documents.ttl : settings.registration.ttl);
}

bool has_brought_most(db::Transaction& transaction, const model::Subject& subject, model::Origin origin,
                      std::int64_t max) {
    return store::count_fleeting_clients(transaction.database(), subject, origin) >= most_of_user(max);
}

Recorded insert(db::Transaction& transaction, Context& context, model::Client client, const model::Subject& subject) {
    const std::int64_t max = context.settings.client_documents.max;
    if (store::count_fleeting_clients(transaction.database()) >= max) return NotIssued::too_many_clients;
    if (has_brought_most(transaction, subject, client.origin, max)) return NotIssued::too_many_of_user;
    client.created_at = context.now();
    client.last_used_at = context.now();
    client.removable_at = removable_at(context, client.origin);
    client.brought_by = subject;
    // On a server another user's approval may have inserted it since this transaction looked.
    if (!store::insert_client(transaction, client)) return NotIssued::approval_withdrawn;
    return RecordedClient{true};
}

/// A client that users have approved makes no room for others, so that a stranger's counts for who approves it first.
Recorded use_registered(db::Transaction& transaction, Context& context, const model::Client& stored,
                        const model::Subject& subject) {
    if (model::is_of_stranger(stored) && !stored.last_used_at) {
        const bool is_fleeting = stored.removable_at.has_value();
        if (is_fleeting && has_brought_most(transaction, subject, stored.origin, context.settings.registration.max))
            return NotIssued::too_many_of_user;
        store::set_brought_by(transaction, stored.id, subject);
    }
    note_use(transaction, context, stored);
    return RecordedClient{};
}

std::string changes(const model::Client& before, const model::Client& now) {
    std::string words = before.name == now.name ? "" : "client_name";
    if (before.redirect_uris != now.redirect_uris) words += words.empty() ? "redirect_uris" : " redirect_uris";
    return words;
}

Recorded update(db::Transaction& transaction, Context& context, const model::Client& stored,
                const model::Client& described, ConsentSource consent) {
    RecordedClient recorded{false, changes(stored, described)};
    if (!recorded.changed.empty()) {
        if (consent != ConsentSource::given_now) return NotIssued::approval_withdrawn;
        store::remove_consents(transaction, stored.id);
    }
    if (digest_of(stored) != digest_of(described))
        store::update_description(transaction, described_again(stored, described));
    note_use(transaction, context, stored);
    return recorded;
}

}  // namespace

std::int64_t most_of_user(std::int64_t max) { return std::max<std::int64_t>(10, max / 10); }

util::Result<RecordedClient, NotIssued> record_client(db::Transaction& transaction, Context& context,
                                                      const model::Client& client, const model::Subject& subject,
                                                      ConsentSource consent) {
    store::lock_client(transaction, client.id);
    const auto stored = store::find_client(transaction.database(), client.id);
    if (client.origin == model::Origin::dynamic) {
        if (!stored) return NotIssued::client_gone;
        return use_registered(transaction, context, *stored, subject);
    }
    if (!stored) return insert(transaction, context, client, subject);
    if (!stored->enabled || stored->origin != model::Origin::document) return NotIssued::client_changed;
    return update(transaction, context, *stored, client, consent);
}

void note_use(db::Transaction& transaction, const Context& context, const model::Client& client) {
    if (client.origin == model::Origin::operator_) return;
    if (client.last_used_at && context.now() - *client.last_used_at < store::kUseIsToldBy) return;
    store::touch_client(transaction, client.id, context.now(), removable_at(context, client.origin));
}

void note_client(Context& context, const model::Grant& grant, const RecordedClient& recorded) {
    if (recorded.is_new)
        context.trail.add(audit::Event::client_registered,
                          {audit::client(grant.client_id), audit::subject(grant.subject), {"origin", "document"}});
    if (!recorded.changed.empty())
        context.trail.add(audit::Event::client_document_changed,
                          {audit::client(grant.client_id), {"changed", recorded.changed}});
}

}  // namespace postern::oauth
