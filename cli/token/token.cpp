// `postern token`: lists codes and tokens, revokes grants, and shows what tokens would say.
#include <iostream>

#include "cli/batches.h"
#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "store/grants.h"

namespace postern::cli {
namespace {

using db::Access;
using store::ListedToken;

/// Members by their names in RFC 7662 §2.2; what does not apply is left out.
json::Object to_json(const ListedToken& token) {
    json::Object object{{"grant_id", token.grant_id.str()}, {"kind", token.kind}, {"client_id", token.client_id.str()}};
    if (!token.username.empty()) object.set("username", token.username);
    // Without a user the client speaks for itself (RFC 6749 §4.4), as `sub` of its tokens says.
    object.set("sub", token.subject.empty() ? token.client_id.str() : token.subject.str());
    object.set("scope", token.scope);
    if (!token.audience.empty()) object.set("aud", token.audience);
    if (!token.jti.empty()) object.set("jti", token.jti);
    object.set("iat", util::to_epoch(token.issued_at));
    object.set("exp", util::to_epoch(token.expires_at));
    object.set("active", token.active);
    return object;
}

std::vector<std::string> to_cells(const ListedToken& token) {
    return {token.kind,
            token.client_id.str(),
            token.username.empty() ? "-" : token.username,
            yes_no(token.active),
            to_text(token.issued_at),
            to_text(token.expires_at),
            token.grant_id.str(),
            token.scope};
}

struct ListOptions {
    Selection selection;
    bool inactive = false;
    db::Limit limit;
};

void list(const Invocation& invocation, const ListOptions& options) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    const auto filter = resolve(database, options.selection);
    const auto listed = options.inactive ? store::Listed::everything : store::Listed::active;
    auto tokens = store::list_tokens(database, filter, now(), listed, options.limit);
    if (invocation.json) return print_json_rows(tokens, to_json);
    print_table_rows({"KIND", "CLIENT", "USER", "ACTIVE", "ISSUED", "EXPIRES", "GRANT", "SCOPE"}, tokens, to_cells);
}

/// Another process may end a grant first.
enum class Ending { ended, had_ended };

void revoke(const Invocation& invocation, const Selection& selection) {
    require_choice(selection);
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const auto filter = resolve(database, selection);
    std::int64_t ended = 0;
    write_in_batches(
        database, store::find_living_grants(database, filter),
        [](db::Transaction& transaction, const model::GrantId& id) {
            return store::end_grant(transaction, id, now()) ? Ending::ended : Ending::had_ended;
        },
        [&](const std::vector<Ending>& batch) {
            const auto count = std::ranges::count(batch, Ending::ended);
            note_ended(invocation, filter, {{"grants_ended", std::to_string(count)}});
            ended += count;
        });
    if (invocation.json) return print_json(json::Object{{"grants", ended}});
    std::cout << counted(ended, "grant") << " ended, with all codes and tokens\n";
}

void add_filters(const Command& command, Selection& selection) {
    add_user_filter(command, selection);
    add_client_filter(command, selection);
    add_before_filter(command, selection);
}

void add_list(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<ListOptions>(group, invocation, "list", "List codes and tokens, oldest first",
                                 "postern token list --user ada\n"
                                 "  postern token list --client wiki --json",
                                 list);
    command.explain(
        "Each row is an authorization code, access token or refresh token with the grant it belongs to, which is one "
        "authorization by a user or one request by a client. The values of codes and tokens are not stored and cannot "
        "be shown.");
    add_filters(command, options.selection);
    command.flag("--inactive", options.inactive,
                 "Also codes and tokens that are no longer valid (used, revoked, expired) but still stored");
    add_limit_option(command, options.limit);
}

void add_revoke(const Command& group, Invocation& invocation) {
    const auto [command, selection] =
        add_command<Selection>(group, invocation, "revoke", "End grants, with every code and token under them",
                               "postern token revoke --user ada --client wiki\n"
                               "  postern token revoke --before 2026-01-31T23:00:00Z",
                               revoke);
    command.explain(
        "Ends the grants that match all of the given options. Sessions and consents stay: a user who is logged in may "
        "get new tokens at once (see `postern session end`, `postern consent revoke`, `postern user disable`).\n"
        "After a backup was restored, everything that was revoked after it was made is valid again: end what was "
        "issued earlier with --before and the time of the restore, the sessions with `postern session end --all`, and "
        "consents with `postern consent revoke --all`.");
    add_filters(command, selection);
    add_all_option(command, selection);
}

}  // namespace

void add_token_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("token", "List and revoke grants, with their codes and tokens; preview tokens");
    add_list(group, invocation);
    add_revoke(group, invocation);
    add_token_preview_command(group, invocation);
}

}  // namespace postern::cli
