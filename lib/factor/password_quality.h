// May this be a user's new password? (PASSWORD-1, PASSWORD-2, NIST SP 800-63B-4 §3.1.1.2)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::factor {

class PasswordList;

/// The reason to refuse a password; the first that applies, in this order.
enum class PasswordFlaw {
    too_short,   ///< fewer code points than configured
    too_long,    ///< more bytes than can be hashed, which are never cut
    untypable,   ///< has what was pasted unseen: a control character, U+200B or U+FEFF at an end
    user_name,   ///< is the user name
    email,       ///< is the mail address
    local_part,  ///< is what is before the @ of the mail address
    host,        ///< is the host of the issuer, or the name of the organisation
    listed,      ///< is in the operator's list
    guessable,   ///< fewer bits than configured
};

/// The facts about a user that an attacker tries first; "" for each that is not known.
struct PasswordOwner {
    std::string username;
    std::string email = {};
    std::string issuer_host = {};   ///< its labels stand for the organisation
    std::string organisation = {};  ///< as its pages name it
};

struct PasswordRules {
    std::size_t min_length = 0;          ///< code points of UTF-8; a byte that is none counts as one
    int min_strength = 0;                ///< bits; 0: not estimated. A build without libzxcvbn estimates none
    const PasswordList* list = nullptr;  ///< nullptr: there is none
};

/// Returns the first flaw of a new password; nullopt: it may be used. The whole password is compared, ASCII letters
/// folded, never a part of it. Throws std::runtime_error when the list cannot be read.
std::optional<PasswordFlaw> find_password_flaw(std::string_view password, const PasswordRules& rules,
                                               const PasswordOwner& owner);

/// Returns the word for logs: "too_short".
std::string_view to_string(PasswordFlaw flaw);

/// Returns the binary logarithm of the guesses that a password takes, as libzxcvbn estimates them from words, names,
/// dates, rows of keys and repetitions; `words` are guessed before any other. nullopt in a build without libzxcvbn. The
/// library gives memory back that has parts of the password in it. A password of 511 bytes takes some 15 ms.
std::optional<double> password_strength(std::string_view password, const std::vector<std::string>& words);

/// Returns false in a build without libzxcvbn.
bool estimates_password_strength();

}  // namespace postern::factor
