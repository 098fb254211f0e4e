// Decides what the operator is told about a recorded refusal.
#include "cli/why/explain.h"

#include <optional>
#include <string_view>

#include "cli/command.h"
#include "oauth/client_id_url.h"
#include "refusal/reason.h"
#include "store/clients.h"
#include "store/users.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

enum class ClientKind {
    registered,  ///< by the operator, or not at all
    described,   ///< by the document at the URL that is its id
    dynamic,     ///< it registered itself
};

/// Stands for the id of the client.
constexpr std::string_view kClient = "{client}";

constexpr std::string_view kOther =
    "This error has no advice of its own. The lines above and the log lines with this request id describe it.";

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

/// nullptr: the record is of another version.
const refusal::Row* find_row(const server::RefusalRecord& refusal) {
    const refusal::Row* row = refusal::find_row(refusal.reason);
    return row == nullptr ? refusal::find_row(refusal.error) : row;
}

/// Only the operator's own clients can be first-party.
bool advises_first_party(const refusal::Row* row) {
    return row != nullptr && row->reason == refusal::Reason::consent_required;
}

std::string_view text_for(const refusal::Row* row, ClientKind kind) {
    if (row == nullptr) return kOther;
    const bool has_own = kind == ClientKind::described || (kind == ClientKind::dynamic && advises_first_party(row));
    return has_own && row->advice_for_described ? row->advice_for_described : row->advice;
}

/// A URL that is no registered client's can be nothing but that of a document.
ClientKind kind_of(db::Database& database, const std::string& client_id) {
    const auto client = store::find_client(database, model::ClientId(client_id));
    if (!client) return oauth::is_client_id_url(client_id) ? ClientKind::described : ClientKind::registered;
    if (client->origin == model::Origin::document) return ClientKind::described;
    return client->origin == model::Origin::dynamic ? ClientKind::dynamic : ClientKind::registered;
}

/// The facts that the database adds.
struct Facts {
    ClientKind kind = ClientKind::registered;
    std::string username = {};
};

/// Facts for which the database need not be asked are had without it.
Facts facts_of(const config::Config& config, const server::RefusalRecord& record, const refusal::Row* row) {
    const bool is_url = oauth::is_client_id_url(record.client_id);
    const bool needs_kind = is_url || advises_first_party(row);
    Facts facts{is_url ? ClientKind::described : ClientKind::registered};
    if (!needs_kind && record.subject.empty()) return facts;
    try {
        db::Database database = open_database(config, db::Access::query_only);
        if (needs_kind) facts.kind = kind_of(database, record.client_id);
        if (!record.subject.empty()) facts.username = store::find_username(database, model::Subject(record.subject));
    } catch (const std::exception&) {  // perhaps the refusal was about the database
    }
    return facts;
}

}  // namespace

ExplainedRefusal explain(const config::Config& config, server::RefusalRecord record) {
    const refusal::Row* row = find_row(record);
    Facts facts = facts_of(config, record, row);
    std::string advice = with_client(text_for(row, facts.kind), record.client_id);
    return {std::move(record), std::move(facts.username), std::move(advice)};
}

Listing listing_of(const ExplainedRefusal& refusal) {
    const server::RefusalRecord& record = refusal.record;
    return {
        {"request_id", "request", record.request_id},
        time_field("time", "when", record.time),
        {"endpoint", "endpoint", record.endpoint},
        {"status", "status", record.status},
        {"client_id", "client", record.client_id},
        {"username", "user", refusal.username, refusal.username.empty() ? record.subject : refusal.username},
        {"subject", "", record.subject},
        {"error", "error", record.error},
        {"reason", "", record.reason},
        {"error_description", "description", record.description},
        {"detail", "detail", record.detail},
        {"address_unknown", "client address", record.address_unknown,
         record.address_unknown.empty() ? "" : "unknown: " + record.address_unknown},
        {"hint", "what to change", refusal.advice},
    };
}

}  // namespace postern::cli
