// `postern why`: explains a refusal that a user or client has seen, by its request id.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/command.h"
#include "cli/output.h"
#include "oauth/client_id_url.h"
#include "refusal/reason.h"
#include "server/refusal_ring.h"
#include "server/service.h"
#include "store/clients.h"
#include "util/shell_command.h"
#include "util/text.h"

namespace postern::cli {
namespace {

enum class ClientKind {
    registered,  ///< by the operator, or not at all
    described,   ///< by the document at the URL that is its id
};

/// Stands for the id of the client.
constexpr std::string_view kClient = "{client}";

constexpr std::string_view kOther =
    "No advice for this error; the lines above, and the log lines with this request id, say what is known.";

/// A refused request may name any client, and the advice is there to be copied. "ID" for none, for one that was cut (it
/// ends with dots), and for one that would be an option or cannot be read.
std::string word_for(std::string_view id) {
    if (id.empty() || id.starts_with('-') || id.ends_with("...")) return "ID";
    const std::string word = util::shell_word(id);
    return word.starts_with('$') ? "ID" : word;
}

std::string with_client(std::string_view text, std::string_view client_id) {
    std::string filled(text);
    const std::string id = word_for(client_id);
    for (auto at = filled.find(kClient); at != std::string::npos; at = filled.find(kClient, at + id.size()))
        filled.replace(at, kClient.size(), id);
    return filled;
}

std::string_view text_for(const server::RefusalRecord& refusal, ClientKind kind) {
    const refusal::Row* row = refusal::find_row(refusal.reason);
    if (row == nullptr) row = refusal::find_row(refusal.error);
    if (row == nullptr) return kOther;
    return kind == ClientKind::described && row->advice_for_described ? row->advice_for_described : row->advice;
}

/// Returns a few sentences for the operator of the server or of the client. Commands name the client as one word of a
/// shell, or "ID" where its id is none, was cut, begins with a dash or cannot be read.
std::string advice_for(const server::RefusalRecord& refusal, ClientKind kind) {
    return with_client(text_for(refusal, kind), refusal.client_id);
}

Refused not_found(const std::string& request_id, const std::string& path) {
    return Refused("no refusal with the request id " + in_quotes(request_id) + " is recorded in " + path +
                   ": the id may be mistyped or belong to another server, the request may have succeeded (if the "
                   "application refuses the user all the same, `postern doctor` and lines scope_ignored of the log say "
                   "what it may miss), the record may have been overwritten (the last " +
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

/// Whether a document describes the client of the refusal. A URL that is not registered can be nothing else.
ClientKind kind_of(const config::Config& config, const std::string& client_id) {
    if (!oauth::is_client_id_url(client_id)) return ClientKind::registered;
    try {
        db::Database database = open_database(config, db::Access::query_only);
        const auto client = store::find_client(database, model::ClientId(client_id));
        if (client && client->origin != model::Origin::document) return ClientKind::registered;
    } catch (const std::exception&) {  // perhaps the refusal was about the database
    }
    return ClientKind::described;
}

json::Object to_json(const server::RefusalRecord& refusal, ClientKind kind) {
    return json::Object{
        {"request_id", refusal.request_id},
        {"time", util::to_epoch(refusal.time)},
        {"endpoint", refusal.endpoint},
        {"status", refusal.status},
        {"error", refusal.error},
        {"error_description", refusal.description},
        {"detail", refusal.detail},
        {"client_id", refusal.client_id},
        {"address_unknown", refusal.address_unknown},
        {"hint", advice_for(refusal, kind)},
    };
}

void print(const server::RefusalRecord& refusal, ClientKind kind) {
    print_fields({
        {"request", refusal.request_id},
        {"when", to_text(refusal.time)},
        {"endpoint", refusal.endpoint},
        {"status", std::to_string(refusal.status)},
        {"client", refusal.client_id},
        {"error", refusal.error},
        {"description", refusal.description},
        {"detail", refusal.detail},
        {"client address", refusal.address_unknown.empty() ? "" : "unknown: " + refusal.address_unknown},
        {"what to change", advice_for(refusal, kind)},
    });
}

bool is_in_ids(char c) { return util::is_letter(c) || util::is_digit(c); }

/// Returns the id in a copied text: with a full stop behind it, in quotes or brackets, or as the whole header.
std::string id_in(std::string_view copied) {
    while (!copied.empty() && !is_in_ids(copied.back())) copied.remove_suffix(1);
    const auto before = std::find_if_not(copied.rbegin(), copied.rend(), is_in_ids);
    return util::to_lower(copied.substr(static_cast<std::size_t>(copied.rend() - before)));
}

void why(const Invocation& invocation, const std::string& copied) {
    const config::Config config = invocation.load_config();
    const std::string path = config.ring_path();
    if (access(path.c_str(), R_OK) != 0) throw cannot_read(path);
    std::string request_id = copied;
    auto refusal = server::RefusalRing::find(path, request_id);
    if (!refusal) {
        request_id = id_in(copied);
        refusal = server::RefusalRing::find(path, request_id);
    }
    if (!refusal && node_of(request_id) != config.node) throw of_another_node(request_id, config.node);
    if (!refusal) throw not_found(request_id, path);
    const ClientKind kind = kind_of(config, refusal->client_id);
    if (invocation.json) return print_json(to_json(*refusal, kind));
    print(*refusal, kind);
}

}  // namespace

void add_why_command(const Command& app, Invocation& invocation) {
    const auto [command, id] = add_command<std::string>(
        app, invocation, "why", "Explain a refusal: what was expected, what arrived, what to change",
        "postern why 3f6c0a51d2b84e07", why);
    command.explain(
        "Error pages show their request id, every answer has it as X-Request-Id, and each line of the log names it. "
        "The last 4096 refusals are kept next to the database, without tokens, codes, passwords or cookies. "
        "Where nodes have names (\"node\"), the id begins with that of the node to ask.");
    command.argument("REQUEST_ID", id, "From the error page, the X-Request-Id header or the log");
}

}  // namespace postern::cli
