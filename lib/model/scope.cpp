// Decides what a scope is and how two of them compare (RFC 6749 §3.3).
#include "model/scope.h"

#include <algorithm>

#include "util/text.h"

namespace postern::model {
namespace {

constexpr std::size_t kMaxTokens = 64;

// NQCHAR: %x21 / %x23-5B / %x5D-7E (RFC 6749 appendix A).
bool is_nqchar(unsigned char byte) { return byte > 0x20 && byte < 0x7f && byte != '"' && byte != '\\'; }

bool is_token(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_nqchar); }

}  // namespace

std::optional<Scope> Scope::parse(std::string_view text) {
    Scope scope;
    if (text.empty()) return scope;
    const auto pieces = util::split(text, ' ');
    // Repetitions count: the bound is on the work a request can ask for.
    if (pieces.size() > kMaxTokens) return std::nullopt;
    for (const auto piece : pieces) {
        if (!is_token(piece)) return std::nullopt;
        scope.add(piece);
    }
    return scope;
}

std::string Scope::to_string() const {
    std::string text;
    for (const auto& token : tokens_) {
        if (!text.empty()) text += ' ';
        text += token;
    }
    return text;
}

bool Scope::contains(std::string_view token) const {
    return std::find(tokens_.begin(), tokens_.end(), token) != tokens_.end();
}

bool Scope::is_subset_of(const Scope& other) const {
    return std::all_of(tokens_.begin(), tokens_.end(), [&](const std::string& token) { return other.contains(token); });
}

void Scope::add(std::string_view token) {
    if (!contains(token)) tokens_.emplace_back(token);
}

void Scope::remove(std::string_view token) { std::erase(tokens_, token); }

}  // namespace postern::model
