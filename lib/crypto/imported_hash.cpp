// Decides which password hashes may be brought in from elsewhere, by their form alone: computing each would take hours.
#include "crypto/imported_hash.h"

#include <algorithm>
#include <array>
#include <vector>

#include "util/text.h"

namespace postern::crypto {

namespace {

using Problem = std::string;
using Checked = util::Result<ImportedHash, Problem>;

/// The digits of crypt(5), by value; bcrypt has the same characters in another order.
constexpr std::string_view kDigits = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kBcryptDigits = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

constexpr std::size_t kBcryptLength = 60;  ///< $2y$NN$, a salt of 22 and a digest of 31
constexpr int kMaxBcryptCost = 14;         ///< 0.7 s
constexpr int kMinBcryptCost = 4;
constexpr std::int64_t kMaxRounds = 1'000'000;  ///< 0.2 s
constexpr std::int64_t kMinRounds = 1000;

/// The parameters that crypt_gensalt(3) writes for the costs 1 to 8: 1 to 128 MiB for each login.
constexpr std::array<std::string_view, 8> kYescryptParameters = {"j75", "j85", "j7T", "j8T",
                                                                 "j9T", "jAT", "jBT", "jCT"};

constexpr const char* kBroken = "the hash is not complete: it was cut or changed on its way";

bool consists_of(std::string_view text, std::string_view digits) {
    return text.find_first_not_of(digits) == std::string_view::npos;
}

/// Bytes in groups of six bits, the lowest first: what is left over in the last digit must be zero.
bool is_encoding(std::string_view text) {
    if (!consists_of(text, kDigits)) return false;
    switch (text.size() % 4) {
        case 0:
            return true;
        case 2:
            return kDigits.find(text.back()) < 4;
        case 3:
            return kDigits.find(text.back()) < 16;
        default:
            return false;
    }
}

/// $y$PARAMETERS$SALT$DIGEST
Checked check_yescrypt(std::string_view hash) {
    const auto parts = util::split(hash, '$');
    if (parts.size() != 5) return Problem(kBroken);
    if (std::ranges::find(kYescryptParameters, parts[2]) == kYescryptParameters.end()) {
        return Problem(
            "the yescrypt hash has parameters other than crypt(5) writes for the costs 1 to 8 (128 MiB); have the user "
            "set "
            "a new password");
    }
    const bool whole = is_encoding(parts[3]) && parts[3].size() <= 86 && is_encoding(parts[4]) && parts[4].size() == 43;
    if (!whole) return Problem(kBroken);
    return ImportedHash{std::string(hash)};
}

/// $2?$COST$ and 53 digits, high bits first.
Checked check_bcrypt(std::string_view hash) {
    if (hash.size() != kBcryptLength || hash[6] != '$' || !consists_of(hash.substr(7), kBcryptDigits))
        return Problem(kBroken);
    const auto cost = util::parse_digits(hash.substr(4, 2), 31);
    // Digits that carry 128 and 184 bits: the last one has bits left over, which are zero.
    const bool whole = kBcryptDigits.find(hash[28]) % 16 == 0 && kBcryptDigits.find(hash[59]) % 4 == 0;
    if (!cost || *cost < kMinBcryptCost || !whole) return Problem(kBroken);
    if (*cost > kMaxBcryptCost) {
        return Problem("the bcrypt cost " + std::to_string(*cost) + " is more than " + std::to_string(kMaxBcryptCost) +
                       ", and every login would pay it; have the user set a new password");
    }
    std::string text(hash);
    text[2] = text[2] == 'a' ? 'y' : text[2];  // the same computation, but for what a bug made of bytes above 127
    return ImportedHash{std::move(text)};
}

/// $6$SALT$DIGEST or $6$rounds=N$SALT$DIGEST
Checked check_sha512(std::string_view hash) {
    auto parts = util::split(hash, '$');
    constexpr std::string_view kRounds = "rounds=";
    if (parts.size() == 5 && parts[2].starts_with(kRounds)) {
        const auto digits = parts[2].substr(kRounds.size());
        const auto rounds = util::parse_digits(digits, 999'999'999);
        if (!rounds || *rounds < kMinRounds || digits.front() == '0') return Problem(kBroken);
        if (*rounds > kMaxRounds) {
            return Problem("rounds=" + std::string(digits) + " is more than " + std::to_string(kMaxRounds) +
                           ", and every login would pay it; have the user set a new password");
        }
        parts.erase(parts.begin() + 2);
    }
    const bool whole = parts.size() == 4 && parts[2].size() <= 16 && util::is_vschar(parts[2]) &&
                       parts[2].find_first_of(" :;*!\\") == std::string_view::npos && parts[3].size() == 86 &&
                       is_encoding(parts[3]);
    if (!whole) return Problem(kBroken);
    return ImportedHash{std::string(hash)};
}

struct Kind {
    std::string_view prefix;
    Checked (*check)(std::string_view);  ///< nullptr: not verified here
    const char* name;
};

constexpr Kind kKinds[] = {
    {"$y$", check_yescrypt, "yescrypt"},
    {"$2b$", check_bcrypt, "bcrypt"},
    {"$2y$", check_bcrypt, "bcrypt"},
    {"$2a$", check_bcrypt, "bcrypt"},
    {"$6$", check_sha512, "SHA-512"},
    {"$apr1$", nullptr, "Apache MD5 ($apr1$)"},
    {"$1$", nullptr, "MD5 ($1$)"},
    {"$5$", nullptr, "SHA-256 ($5$)"},
    {"$argon2", nullptr, "Argon2"},
    {"$7$", nullptr, "scrypt ($7$)"},
    {"$gy$", nullptr, "gost-yescrypt ($gy$)"},
};

// ---- {SCHEME}hash, as Dovecot, LDAP servers and others write it ----

/// Schemes behind which a hash stands as crypt(3) writes it.
constexpr std::string_view kCryptSchemes[] = {"CRYPT",     "BLF-CRYPT", "BCRYPT", "SHA512-CRYPT", "SHA256-CRYPT",
                                              "MD5-CRYPT", "DES-CRYPT", "ARGON2", "ARGON2I",      "ARGON2ID"};
/// Behind which the password itself stands.
constexpr std::string_view kPlainSchemes[] = {"PLAIN", "CLEAR", "CLEARTEXT", "NOOP"};

struct KnownScheme {
    std::string_view name;
    std::string_view what;
};
constexpr KnownScheme kSchemes[] = {
    {"SHA", "unsalted SHA-1"},
    {"SHA1", "unsalted SHA-1"},
    {"SHA256", "unsalted SHA-256"},
    {"SHA512", "unsalted SHA-512"},
    {"SSHA", "salted SHA-1"},
    {"SSHA256", "salted SHA-256 of a single round"},
    {"SSHA384", "salted SHA-384 of a single round"},
    {"SSHA512", "salted SHA-512 of a single round"},
    {"MD5", "unsalted MD5"},
    {"PLAIN-MD5", "unsalted MD5"},
    {"LDAP-MD5", "unsalted MD5"},
    {"SMD5", "salted MD5"},
    {"CRAM-MD5", "CRAM-MD5"},
    {"HMAC-MD5", "CRAM-MD5"},
    {"DIGEST-MD5", "DIGEST-MD5"},
    {"NTLM", "NTLM"},
    {"LANMAN", "LAN Manager"},
    {"SCRAM-SHA-1", "SCRAM"},
    {"SCRAM-SHA-256", "SCRAM"},
    {"PBKDF2", "PBKDF2"},
    {"PBKDF2-SHA1", "PBKDF2"},
    {"PBKDF2-SHA256", "PBKDF2"},
    {"PBKDF2-SHA512", "PBKDF2"},
    {"PBKDF2_SHA256", "PBKDF2"},
    {"SASL", "a reference to saslauthd"},
};

constexpr std::size_t kLongestScheme = 32;

struct Scheme {
    std::string name;       ///< in capitals; "" if there is none
    std::string_view rest;  ///< what stands behind it
};

Scheme scheme_of(std::string_view hash) {
    const std::size_t close = hash.find('}');
    if (!hash.starts_with('{') || close == hash.npos || close < 2 || close > kLongestScheme) return {"", hash};
    std::string name(hash.substr(1, close - 1));
    for (char& c : name) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        const bool allowed = util::is_letter(c) || util::is_digit(c) || c == '-' || c == '_' || c == '.';
        if (!allowed) return {"", hash};
    }
    return {std::move(name), hash.substr(close + 1)};
}

template <std::size_t size>
bool is_one_of(const std::string_view (&names)[size], std::string_view name) {
    return std::ranges::find(names, name) != std::end(names);
}

Problem not_verified(const std::string& kind) {
    return "the hash is " + kind +
           ", which is not verified here; `htpasswd -B` makes one that is (bcrypt), or give the password itself in a "
           "JSON line";
}

/// A hash of no other program's making.
Checked check_plain_spelling(std::string_view hash) {
    if (hash.empty()) return Problem("there is no hash");
    if (hash.front() == '!' || hash.front() == '*')
        return Problem("the password is locked; leave the user out, or import one with \"enabled\": false");
    const auto* kind = std::ranges::find_if(kKinds, [&](const Kind& one) { return hash.starts_with(one.prefix); });
    if (kind == std::end(kKinds)) return not_verified("of an unknown kind");
    return kind->check ? kind->check(hash) : not_verified(kind->name);
}

}  // namespace

util::Result<ImportedHash, std::string> parse_imported_hash(std::string_view hash) {
    const Scheme scheme = scheme_of(hash);
    if (scheme.name.empty() || is_one_of(kCryptSchemes, scheme.name)) return check_plain_spelling(scheme.rest);
    if (is_one_of(kPlainSchemes, scheme.name))
        return Problem("{" + scheme.name +
                       "} has the password itself behind it, not a hash; give it as \"password\" in a JSON line");
    const auto* known = std::ranges::find(kSchemes, scheme.name, &KnownScheme::name);
    return not_verified(known == std::end(kSchemes) ? "of the scheme {" + scheme.name + "}"
                                                    : std::string(known->what) + " ({" + scheme.name + "})");
}

}  // namespace postern::crypto
