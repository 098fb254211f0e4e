// Judges a new password by its length, by names it equals, by a list and by an estimate, in this order.
#include "factor/password_quality.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "crypto/password.h"
#include "factor/password_list.h"
#include "util/text.h"
#include "util/utf8.h"

namespace postern::factor {
namespace {

/// A shorter word is in many passwords by chance.
constexpr std::size_t kShortestWord = 3;

std::size_t count_characters(std::string_view text) {
    std::size_t count = 0;
    for (; !text.empty(); ++count) text.remove_prefix(util::next_utf8(text).length);
    return count;
}

std::string_view local_part(std::string_view email) { return email.substr(0, email.find('@')); }

std::string_view domain(std::string_view email) {
    const auto at = email.find('@');
    return at == std::string_view::npos ? std::string_view() : email.substr(at + 1);
}

/// Returns whether it has a character that was pasted unseen; fields for passwords take none (docs/decisions/0098).
bool is_untypable(std::string_view password) {
    constexpr std::string_view kUnseen[] = {"\xEF\xBB\xBF", "\xE2\x80\x8B"};  // U+FEFF, U+200B
    return util::has_control_bytes(password) || std::ranges::any_of(kUnseen, [&](std::string_view unseen) {
               return password.starts_with(unseen) || password.ends_with(unseen);
           });
}

std::optional<PasswordFlaw> find_unusable(std::string_view password) {
    if (is_untypable(password)) return PasswordFlaw::untypable;
    switch (crypto::check_password(password)) {
        case crypto::PasswordFault::too_long:
            return PasswordFlaw::too_long;
        case crypto::PasswordFault::has_nul:
            return PasswordFlaw::untypable;
        case crypto::PasswordFault::empty:
            return PasswordFlaw::too_short;
        case crypto::PasswordFault::none:
            break;
    }
    return std::nullopt;
}

std::optional<PasswordFlaw> find_equal(std::string_view password, const PasswordOwner& owner) {
    const std::pair<PasswordFlaw, std::string_view> rows[] = {
        {PasswordFlaw::user_name, owner.username},
        {PasswordFlaw::email, owner.email},
        {PasswordFlaw::local_part, local_part(owner.email)},
        {PasswordFlaw::host, owner.issuer_host},
        {PasswordFlaw::host, owner.organisation},
    };
    for (const auto& [flaw, text] : rows) {
        if (util::equal_ignoring_case(password, text)) return flaw;
    }
    return std::nullopt;
}

/// Names of hosts also by their labels: that of example.org has the name of the organisation.
std::vector<std::string> words_of(const PasswordOwner& owner) {
    std::vector<std::string> words;
    const auto add = [&words](std::string_view word) {
        if (word.size() >= kShortestWord) words.emplace_back(word);
    };
    for (const std::string_view whole :
         {std::string_view(owner.username), std::string_view(owner.email), local_part(owner.email)})
        add(whole);
    add(owner.organisation);
    for (const std::string_view word : util::split(owner.organisation, ' ')) add(word);
    for (const std::string_view host : {domain(owner.email), std::string_view(owner.issuer_host)}) {
        add(host);
        for (const std::string_view label : util::split(host, '.')) add(label);
    }
    return words;
}

bool is_guessable(std::string_view password, int min_strength, const PasswordOwner& owner) {
    if (min_strength <= 0) return false;
    const auto bits = password_strength(password, words_of(owner));
    return bits && *bits < min_strength;
}

}  // namespace

std::optional<PasswordFlaw> find_password_flaw(std::string_view password, const PasswordRules& rules,
                                               const PasswordOwner& owner) {
    if (count_characters(password) < rules.min_length) return PasswordFlaw::too_short;
    if (const auto flaw = find_unusable(password)) return flaw;
    if (const auto flaw = find_equal(password, owner)) return flaw;
    if (rules.list != nullptr && rules.list->contains(password)) return PasswordFlaw::listed;
    if (is_guessable(password, rules.min_strength, owner)) return PasswordFlaw::guessable;
    return std::nullopt;
}

std::string_view to_string(PasswordFlaw flaw) {
    switch (flaw) {
        case PasswordFlaw::too_short:
            return "too_short";
        case PasswordFlaw::too_long:
            return "too_long";
        case PasswordFlaw::untypable:
            return "untypable";
        case PasswordFlaw::user_name:
            return "user_name";
        case PasswordFlaw::email:
            return "email";
        case PasswordFlaw::local_part:
            return "local_part";
        case PasswordFlaw::host:
            return "site_name";
        case PasswordFlaw::listed:
            return "listed";
        case PasswordFlaw::guessable:
            return "guessable";
    }
    throw std::logic_error("password flaw without a word");
}

}  // namespace postern::factor
