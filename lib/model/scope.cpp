// Decides what a scope is and how two of them compare (RFC 6749 §3.3).
#include "model/scope.h"

#include <algorithm>
#include <utility>

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
    scope.text_.reserve(text.size());
    for (const auto piece : pieces) {
        if (!is_token(piece)) return std::nullopt;
        scope.add(piece);
    }
    return scope;
}

Scope Scope::stored(std::string text) {
    Scope scope;
    scope.text_ = std::move(text);
    return scope;
}

std::vector<std::string> Scope::tokens() const {
    if (empty()) return {};
    const auto pieces = util::split(text_, ' ');
    return {pieces.begin(), pieces.end()};
}

bool Scope::contains(std::string_view token) const {
    std::string_view rest = text_;
    while (!rest.empty()) {
        const std::string_view next = rest.substr(0, rest.find(' '));
        if (next == token) return true;
        rest.remove_prefix(std::min(next.size() + 1, rest.size()));
    }
    return false;
}

bool Scope::is_subset_of(const Scope& other) const {
    return std::ranges::all_of(tokens(), [&](const std::string& token) { return other.contains(token); });
}

void Scope::add(const Scope& other) {
    for (const std::string& token : other.tokens()) add(token);
}

void Scope::add(std::string_view token) {
    if (contains(token)) return;
    if (!empty()) text_ += ' ';
    text_ += token;
}

void Scope::remove(std::string_view token) {
    Scope left;
    for (const std::string& other : tokens())
        if (other != token) left.add(other);
    *this = std::move(left);
}

}  // namespace postern::model
