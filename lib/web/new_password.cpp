// May this be a user's new password? It has a length and is not the user name; no other rule of composition.
#include "web/new_password.h"

#include "crypto/password.h"
#include "util/text.h"
#include "util/utf8.h"
#include "web/password_check.h"

namespace postern::web {
namespace {

constexpr const char* kDifferent = "The two new passwords are not the same.";

std::size_t count_characters(std::string_view text) {
    std::size_t count = 0;
    for (; !text.empty(); ++count) text.remove_prefix(util::next_utf8(text).length);
    return count;
}

}  // namespace

std::string new_password_problem(std::string_view password, std::string_view username) {
    if (count_characters(password) < kMinPasswordCharacters)
        return "The new password is too short. It needs at least " + std::to_string(kMinPasswordCharacters) +
               " characters; some words in a row are one.";
    if (crypto::check_password(password) != crypto::PasswordFault::none)
        return "The new password is too long. It may have up to " + std::to_string(crypto::kMaxPasswordBytes) +
               " bytes.";
    if (util::equal_ignoring_case(password, username)) return "The new password must not be your user name.";
    return "";
}

util::Result<util::Secret, std::string> read_new_password(const http::Params& form, std::string_view username) {
    std::string fresh(form.find("new").value_or(""));
    if (std::string problem = new_password_problem(fresh, username); !problem.empty()) return problem;
    if (fresh != form.find("again").value_or("")) return std::string(kDifferent);
    return util::Secret(std::move(fresh));
}

std::optional<std::string> hash_new_password(const oauth::Context& context, const util::Secret& password) {
    const auto slot = take_hash_slot(context);
    if (!slot) return std::nullopt;
    return crypto::hash_password(password);
}

}  // namespace postern::web
