// The page of the applications that have access to something of the user's.
#include "web/account/account.h"

#include <iterator>
#include <utility>
#include <vector>

#include "db/write.h"
#include "oauth/client_id_url.h"
#include "pages/permissions.h"
#include "store/client_claims.h"
#include "store/clients.h"
#include "store/consents.h"
#include "store/users.h"
#include "text/message.h"
#include "web/destination.h"

namespace postern::web {
namespace {

/// In the words in which it was allowed.
std::vector<text::Message> permissions_of(oauth::Context& context, const model::Client& client,
                                          const store::Application& application) {
    model::AuthorizationRequest request;
    request.scope = application.scope;
    request.claims.userinfo = application.claims;
    const auto own_claims =
        client.own_claims ? store::find_client_claims(context.store, client.id) : std::vector<model::ClientClaim>();
    std::vector<text::Message> lines;
    for (const pages::ConsentScope& line : pages::permissions(context.settings, request, own_claims))
        lines.push_back(line.description.empty() ? text::Message::data(line.name) : line.description);
    return lines;
}

/// What registered itself chose its addresses, and its first one may be the one that looks best.
std::string host_of(const model::Client& client) {
    if (client.origin == model::Origin::document) return oauth::host_of_id(client.id);
    if (client.origin == model::Origin::dynamic) return destinations(client.redirect_uris);
    return client.redirect_uris.empty() ? "" : destination(client.redirect_uris.front());
}

ListedApplication to_listed(oauth::Context& context, const model::Client& client,
                            const store::Application& application) {
    ListedApplication listed;
    listed.client_id = client.id.str();
    listed.name = pages::client_name(client);
    listed.host = host_of(client);
    listed.first_party = client.first_party;
    listed.unchecked = client.origin == model::Origin::document || model::is_of_stranger(client);
    listed.permissions = permissions_of(context, client, application);
    listed.since = text::shown_day(application.since);
    if (application.last_used) listed.last_used = text::shown_time(*application.last_used);
    return listed;
}

/// An application that has access, and its registration.
struct Accessing {
    model::Client client;
    store::Application access;
};

/// A site is left out: it has no tokens that could be withdrawn, and the gate looks at sessions alone. Its grant lives
/// as long as the code of a sign-in.
std::vector<Accessing> find_applications(const AccountVisit& visit) {
    oauth::Context& context = visit.context();
    std::vector<Accessing> found;
    for (store::Application& access : store::list_applications(context.store, visit.subject(), context.now())) {
        auto client = store::find_client(context.store, access.client_id);
        if (client && !client->site) found.push_back({*std::move(client), std::move(access)});
    }
    return found;
}

/// As `postern consent revoke` does. Durable, because what is said to have no access must have none.
store::WithdrawnAccess withdraw(const AccountVisit& visit, const model::ClientId& client) {
    return db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        store::lock_user(transaction, visit.subject());
        const auto withdrawn = store::withdraw_access(transaction, client, visit.subject(), visit.context().now());
        if (withdrawn.consent || withdrawn.grants > 0)
            visit.note(transaction, model::ActivityKind::application_removed, client.str());
        transaction.commit();
        return withdrawn;
    });
}

}  // namespace

std::int64_t count_applications(const AccountVisit& visit) { return std::ssize(find_applications(visit)); }

http::Response show_applications(AccountVisit& visit) {
    return visit.with_browser_id([&] {
        ApplicationsPage page{.frame = frame_of(visit), .applications = {}};
        for (const Accessing& each : find_applications(visit))
            page.applications.push_back(to_listed(visit.context(), each.client, each.access));
        return visit.pages.applications(page);
    });
}

http::Response submit_applications(AccountVisit& visit) {
    const auto id = visit.request().form.find("client_id");
    if (!id) return refuse_malformed_form(visit, "field: client_id");
    const model::ClientId client{std::string(*id)};
    const auto [consent, grants] = withdraw(visit, client);
    if (consent || grants > 0)
        visit.context().trail.add(audit::Event::consent_withdrawn, {audit::subject(visit.subject()),
                                                                    audit::client(client),
                                                                    {"grants_ended", std::to_string(grants)},
                                                                    {"by", "user"}});
    return done(visit, AccountDone::access_removed);
}

}  // namespace postern::web
