// Asks what the pages ask, and says it to the operator.
#include "cli/user/user.h"

#include <memory>
#include <stdexcept>

#include "factor/password_list.h"
#include "factor/password_quality.h"
#include "login/new_password.h"

namespace postern::cli {
namespace {

using factor::PasswordFlaw;

/// Goes behind "the password".
std::string describe(PasswordFlaw flaw, const oauth::Settings& settings) {
    switch (flaw) {
        case PasswordFlaw::too_short:
            return "is shorter than " + std::to_string(settings.login.password_min_length) +
                   " characters (login.passwordMinLength)";
        case PasswordFlaw::too_long:
        case PasswordFlaw::untypable:
            break;  // input.h has refused them
        case PasswordFlaw::user_name:
            return "is the user name";
        case PasswordFlaw::email:
            return "is the user's e-mail address";
        case PasswordFlaw::local_part:
            return "is the name in the user's e-mail address";
        case PasswordFlaw::host:
            return "is the name of this site (the issuer's host or branding.name)";
        case PasswordFlaw::listed:
            return "is in the list " + settings.login.password_blocklist.value_or("");
        case PasswordFlaw::guessable:
            return "is too easy to guess: it is made of common words or patterns (login.passwordMinStrength)";
    }
    throw std::logic_error("a password that cannot be hashed was not refused");
}

std::unique_ptr<const factor::PasswordList> open_list(const login::Settings& login) {
    return login.password_blocklist ? factor::open_password_list(*login.password_blocklist) : nullptr;
}

}  // namespace

void add_password_options(const Command& command, PasswordOptions& options) {
    command.flag("--password-stdin", options.from_stdin,
                 "Read the password as one line of standard input instead of asking at the terminal");
    command.flag("--weak", options.weak, "Take the password even if it is too short, too easy to guess or in the list");
    command.flag("--must-change", options.must_change,
                 "Make the user choose another password at the next login by password, before anything else");
}

store::MustChange must_change(const PasswordOptions& options) {
    return options.must_change ? store::MustChange::yes : store::MustChange::no;
}

void require_page_for(const oauth::Settings& settings, const PasswordOptions& options) {
    if (!options.must_change || (settings.login.keeps_passwords() && settings.paths.account)) return;
    throw Refused(
        "--must-change needs the page on which the user changes the password: \"login\": {\"method\": \"password\"}, "
        "and paths.account that is not null");
}

std::string judge_password(const oauth::Settings& settings, const util::Secret& password, const std::string& username,
                           const json::Object& claims, bool weak) {
    const auto list = open_list(settings.login);
    const auto flaw = factor::find_password_flaw(password.reveal(), login::password_rules(settings, list.get()),
                                                 login::password_owner(settings, username, claims));
    if (!flaw) return "";
    if (!weak)
        throw Refused("the password " + describe(*flaw, settings) +
                      "; choose another one, or take it all the same with --weak");
    return std::string(factor::to_string(*flaw));
}

}  // namespace postern::cli
