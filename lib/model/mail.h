// A message that waits to be sent to a user.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/value.h"
#include "model/ids.h"
#include "util/clock.h"

namespace postern::model {

enum class MailKind {
    reset,     ///< a link for another password, asked for on the page
    invite,    ///< the operator's link for the first password
    password,  ///< the operator's link for another password
    factors,   ///< the same, and no second factor any more
    email,     ///< a link that confirms an address
    notice,    ///< the password or a second factor has changed
    guess,     ///< a second step has failed behind the right password, in a place that is not known (TOTP-10)
};
std::string_view to_string(MailKind kind);
std::optional<MailKind> parse_mail_kind(std::string_view name);

/// Never holds a token: that is made when the message is sent (MAIL-3).
struct MailRequest {
    std::string id;  ///< random
    MailKind kind = MailKind::reset;
    std::optional<Subject> subject;        ///< nullopt: no user has the name that was typed
    std::optional<std::string> email_key;  ///< of reset: digest of what was typed
    std::string detail = {};               ///< as table `mail_requests` says for the kind
    std::string language = {};             ///< tag of the one in which the user asked; "": not known
    util::Time created_at{};
    util::Time not_before{};
    std::int64_t tries = 0;
    std::optional<util::Time> failed_at = {};
};

/// Returns the value of users.email_key: SHA-256 of the address, its ASCII letters in lower case, in hex; "" for what
/// is no address that mail is sent to.
std::string email_key(std::string_view address);

/// The claim `email`; "" when there is none that mail is sent to.
std::string mail_address_of(const json::Object& claims);

}  // namespace postern::model
