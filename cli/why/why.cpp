// `postern why`: explains a refusal that a user or client has seen, by its request id, or without one.
#include "cli/why/why.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/why/explain.h"
#include "server/refusal_ring.h"
#include "server/service.h"
#include "util/text.h"

namespace postern::cli {
namespace {

Refused not_found(const std::string& request_id, const std::string& path) {
    return Refused("no refusal with the request id " + in_quotes(request_id) + " is recorded in " + path +
                   ": the id may be mistyped or belong to another server, the request may have succeeded (" +
                   kIfApplicationRefuses + "), the record may have been overwritten (the last " +
                   std::to_string(server::kRingSlots) +
                   " are kept), or the serving process cannot write that file; the log may still have the id");
}

/// The beginning of an id that has one; "" for an id that no node has made.
std::string node_of(const std::string& request_id) {
    const auto longer = request_id.size() - server::kRequestIdLength;  // wraps around for one that is too short
    return longer <= 2 ? request_id.substr(0, longer) : std::string();
}

Refused of_another_node(const std::string& request_id, const std::string& own) {
    const std::string node = node_of(request_id);
    if (node.empty())
        return Refused("the request id " + in_quotes(request_id) + " names no node, and this is node " +
                       in_quotes(own) + ": the id may be mistyped or belong to another server");
    return Refused("the request id " + in_quotes(request_id) + " is of node " + in_quotes(node) +
                   ": run this command there, because refusals stay on the node that made them");
}

Refused cannot_read(const std::string& path) {
    return Refused(path + " cannot be read (" + std::strerror(errno) +
                   "): `postern init` creates it next to the database; run this command as its owner");
}

bool is_in_ids(char c) { return util::is_letter(c) || util::is_digit(c); }

/// Returns the id in a copied text: with a full stop behind it, in quotes or brackets, or as the whole header.
std::string id_in(std::string_view copied) {
    while (!copied.empty() && !is_in_ids(copied.back())) copied.remove_suffix(1);
    const auto before = std::find_if_not(copied.rbegin(), copied.rend(), is_in_ids);
    return util::to_lower(copied.substr(static_cast<std::size_t>(copied.rend() - before)));
}

void why_id(const Invocation& invocation, const config::Config& config, const std::string& path,
            const std::string& copied) {
    std::string request_id = copied;
    auto refusal = server::RefusalRing::find(path, request_id);
    if (!refusal) {
        request_id = id_in(copied);
        refusal = server::RefusalRing::find(path, request_id);
    }
    if (!refusal && node_of(request_id) != config.node) throw of_another_node(request_id, config.node);
    if (!refusal) throw not_found(request_id, path);
    const Listing listing = listing_of(explain(config, std::move(*refusal)));
    if (invocation.json) return print_json(members_of(listing));
    print_lines(listing);
}

/// The options of the command line.
struct Options {
    std::optional<std::string> request_id;
    bool last = false;
    bool follow = false;
    RefusalFilter filter;
    std::int64_t minutes = 60;
};

void check(const Options& options) {
    const bool is_filtered = options.filter.client || options.filter.user;
    if (options.request_id && (options.last || options.follow || is_filtered))
        throw UsageError("a request id names one refusal; leave out --last, --follow, --client and --user");
    if (options.last && options.follow) throw UsageError("--last and --follow do not go together");
    if (!options.request_id && !options.last && !options.follow)
        throw UsageError("name a request id, or use --last or --follow; see `postern why --help`");
}

void why(const Invocation& invocation, const Options& options) {
    check(options);
    const config::Config config = invocation.load_config();
    const std::string path = config.ring_path();
    if (access(path.c_str(), R_OK) != 0) throw cannot_read(path);
    if (options.request_id) return why_id(invocation, config, path, *options.request_id);
    if (options.follow) return follow_refusals(invocation, config, options.filter);
    why_last(invocation, config, options.filter, std::chrono::minutes(options.minutes));
}

}  // namespace

void add_why_command(const Command& app, Invocation& invocation) {
    const auto [command, options] = add_command<Options>(
        app, invocation, "why", "Explain a refusal: what was expected, what arrived, what to change",
        "postern why --last --client wiki", why);
    command.explain(
        "Error pages show their request id, every answer has it as X-Request-Id, and each line of the log names it. "
        "Applications hardly ever show it: --last and --follow need none. "
        "The last 4096 refusals are kept next to the database, without tokens, codes, passwords or cookies. "
        "Where nodes have names (\"node\"), the id begins with that of the node to ask; --last and --follow see the "
        "refusals of this node.\n"
        "A user is known by a login, with a wrong password too, a session, a link, a code or a token. A refusal before "
        "that, such as for an unknown client, redirect URI or user name, or a wrong client secret, has no user, and --user "
        "leaves it out.");
    command.argument("REQUEST_ID", options.request_id, "From the error page, the X-Request-Id header or the log");
    const Option last =
        command.flag("--last", options.last, "The newest refusal, and how many others there were of which kind");
    command.flag("--follow", options.follow, "Each refusal as it happens, until interrupted; with --json one a line");
    command.option("--client", "ID", options.filter.client, "Only of this client, as the application names it");
    command.option("--user", "NAME", options.filter.user,
                   "Only of this user: the user name, or the `sub` that tokens show");
    command.option("--minutes", "N", options.minutes, "With --last: look back so many minutes (default 60)")
        .between(1, kMostMinutes)
        .needs(last);
}

}  // namespace postern::cli
