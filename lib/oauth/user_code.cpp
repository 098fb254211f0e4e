// Decides which letters a user code has, and how it may be typed.
#include "oauth/user_code.h"

#include <algorithm>

#include "crypto/digest.h"

namespace postern::oauth {
namespace {

constexpr std::size_t kMaxTypedBytes = 64;
/// From here on a byte would make the first letters more likely than the others.
constexpr std::size_t kEnd = 256 / kUserCodeAlphabet.size() * kUserCodeAlphabet.size();

}  // namespace

std::string make_user_code(crypto::Random& random) {
    std::string letters;
    while (letters.size() < kUserCodeLetters) {
        for (const char c : random.bytes(kUserCodeLetters)) {
            const std::size_t byte = static_cast<unsigned char>(c);
            if (byte < kEnd && letters.size() < kUserCodeLetters)
                letters += kUserCodeAlphabet[byte % kUserCodeAlphabet.size()];
        }
    }
    return letters;
}

std::string shown_user_code(std::string_view letters) {
    const std::size_t half = letters.size() / 2;
    return std::string(letters.substr(0, half)) + '-' + std::string(letters.substr(half));
}

std::optional<std::string> parse_user_code(std::string_view typed) {
    if (typed.size() > kMaxTypedBytes) return std::nullopt;
    std::string letters;
    for (const char c : typed) {
        const char folded = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        if (folded >= 'A' && folded <= 'Z') letters += folded;
    }
    const bool is_code = letters.size() == kUserCodeLetters && std::ranges::all_of(letters, [](char letter) {
                             return kUserCodeAlphabet.find(letter) != std::string_view::npos;
                         });
    return is_code ? std::optional(std::move(letters)) : std::nullopt;
}

model::ValueHash user_code_hash(std::string_view letters) { return model::ValueHash(crypto::sha256_hex(letters)); }

}  // namespace postern::oauth
