// Finds the advice of a refusal, and names the client in it.
#include "cli/why/advice.h"

#include "refusal/reason.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

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

}  // namespace

std::string advice_for(const server::RefusalRecord& refusal, ClientKind kind) {
    return with_client(text_for(refusal, kind), refusal.client_id);
}

}  // namespace postern::cli
