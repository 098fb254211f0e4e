// Reads and judges the new password of a user: all pages and commands that set one ask here (PASSWORD-4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "factor/password_quality.h"
#include "http/params.h"
#include "json/value.h"
#include "model/ids.h"
#include "oauth/context.h"
#include "text/message.h"
#include "util/result.h"
#include "util/secret.h"

namespace postern::login {

/// Returns the rules of the configuration; `list` is the one of `login.passwordBlocklist`, or nullptr.
factor::PasswordRules password_rules(const oauth::Settings& settings, const factor::PasswordList* list);

/// Returns the owner of a password: a user of that name with those claims.
factor::PasswordOwner password_owner(const oauth::Settings& settings, std::string username, const json::Object& claims);
/// Returns the owner of a password who is a user of the database. Throws db::StoreError.
factor::PasswordOwner find_password_owner(const oauth::Context& context, const model::Subject& subject,
                                          std::string username);

/// Returns a sentence for the user.
text::Message describe(factor::PasswordFlaw flaw, const factor::PasswordRules& rules);

/// The reason why a form has no password that may be set.
struct NewPasswordProblem {
    text::Message text;                        ///< a sentence for the user
    std::optional<factor::PasswordFlaw> flaw;  ///< nullopt: the two fields differ
};

/// Reads the password that the fields `new` and `again` of a form say twice, when it may be the password of `owner`.
/// Takes no hash slot (PASSWORD-7). Throws std::runtime_error when the list cannot be read.
util::Result<util::Secret, NewPasswordProblem> read_new_password(const oauth::Context& context,
                                                                 const http::Params& form,
                                                                 const factor::PasswordOwner& owner);

/// Returns the words of the audit log about the flaw.
std::string log_reason(factor::PasswordFlaw flaw);

/// Makes the hash of a new password, in one of the places that limit how many this machine makes at a time; nullopt:
/// all stayed taken for the bounded wait. Throws db::StoreError.
std::optional<std::string> hash_new_password(const oauth::Context& context, const util::Secret& password);

}  // namespace postern::login
