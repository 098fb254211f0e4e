// `postern consent`: what users have approved for clients, and its withdrawal.
#include <algorithm>
#include <iostream>

#include "cli/batches.h"
#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "cli/user/user.h"
#include "store/consents.h"
#include "store/users.h"

namespace postern::cli {
namespace {

using db::Access;
using store::ListedConsent;

json::Object scopes_of(const model::ResourceScopes& resources) {
    json::Object object;
    for (const auto& [uri, scope] : resources) object.set(uri, scope.to_string());
    return object;
}

std::string in_one_line(const model::ResourceScopes& resources) {
    std::string text = model::to_string(resources);
    std::ranges::replace(text, '\n', ';');
    return text;
}

json::Object to_json(const ListedConsent& listed) {
    const model::Consent& consent = listed.consent;
    return json::Object{
        {"client_id", consent.client_id.str()},
        {"username", listed.username},
        {"sub", consent.subject.str()},
        {"scope", consent.scope.to_string()},
        {"claims", json::strings({consent.claims.begin(), consent.claims.end()})},
        {"resources", scopes_of(consent.resources)},
        {"granted_at", util::to_epoch(consent.granted_at)},
    };
}

std::vector<std::string> to_cells(const ListedConsent& listed) {
    const auto& [consent, username] = listed;
    return {consent.client_id.str(),          username,
            to_text(consent.granted_at),      consent.scope.to_string(),
            model::to_string(consent.claims), in_one_line(consent.resources)};
}

db::Rows<ListedConsent> find(db::Database& database, const Selection& selection, db::Limit limit = {}) {
    const auto filter = resolve(database, selection);
    return store::list_consents(database, filter.client, filter.subject, limit);
}

struct ListOptions {
    Selection selection;
    db::Limit limit;
};

void list(const Invocation& invocation, const ListOptions& options) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    auto consents = find(database, options.selection, options.limit);
    if (invocation.json) return print_json_rows(consents, to_json);
    print_table_rows({"CLIENT", "USER", "GRANTED", "SCOPE", "CLAIMS", "RESOURCES"}, consents, to_cells);
}

/// All of them, because they are removed while they are walked through.
std::vector<ListedConsent> find_all(db::Database& database, const Selection& selection) {
    std::vector<ListedConsent> all;
    for (const auto& each : find(database, selection)) all.push_back(each);
    return all;
}

void revoke(const Invocation& invocation, const Selection& selection) {
    require_choice(selection);
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, Access::read_write);
    std::int64_t withdrawn = 0;
    std::int64_t ended = 0;
    struct Done {
        model::Consent of;
        store::WithdrawnAccess withdrawn;
    };
    write_in_batches(
        database, find_all(database, selection),
        [&](db::Transaction& transaction, const ListedConsent& listed) {
            const model::Consent& consent = listed.consent;
            store::lock_user(transaction, consent.subject);
            const auto taken = store::withdraw_access(transaction, consent.client_id, consent.subject, now());
            if (taken.consent || taken.grants > 0)
                note_activity(config.settings, transaction, consent.subject, model::ActivityKind::application_removed,
                              consent.client_id.str());
            return Done{consent, taken};
        },
        [&](const std::vector<Done>& batch) {
            for (const auto& [consent, done] : batch) {
                if (!done.consent && done.grants == 0) continue;  // another process was first
                withdrawn += done.consent ? 1 : 0;
                ended += done.grants;
                note(invocation, audit::Event::consent_withdrawn,
                     {audit::subject(consent.subject),
                      audit::client(consent.client_id),
                      {"grants_ended", std::to_string(done.grants)}});
            }
        });
    if (invocation.json) return print_json(json::Object{{"consents", withdrawn}, {"grants", ended}});
    std::cout << counted(withdrawn, "consent") << " withdrawn, " << counted(ended, "grant") << " ended\n";
}

void add_filters(const Command& command, Selection& selection) {
    add_user_filter(command, selection);
    add_client_filter(command, selection);
}

}  // namespace

void add_consent_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("consent", "List and withdraw what users have approved for clients");
    const auto [list_command, listed] = add_command<ListOptions>(
        group, invocation, "list", "List consents: client, user, time, scope, claims and resources",
        "postern consent list --client wiki", list);
    add_filters(list_command, listed.selection);
    add_limit_option(list_command, listed.limit);

    const auto [revoke_command, revoked] =
        add_command<Selection>(group, invocation, "revoke", "Withdraw consents and end the grants under them",
                               "postern consent revoke --user ada --client wiki", revoke);
    revoke_command.explain(
        "All grants of these users for these clients end, with their codes and tokens, and the users are asked again "
        "the next time. First-party clients and devices need no consent, and of clients that registered themselves "
        "without a token none is remembered: `postern token revoke` ends their tokens.");
    add_filters(revoke_command, revoked);
    add_all_option(revoke_command, revoked);
}

}  // namespace postern::cli
