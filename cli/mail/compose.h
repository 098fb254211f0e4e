// Makes the text of a message that waits, and the link that it brings.
#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "model/link.h"
#include "model/mail.h"
#include "model/user.h"
#include "text/languages.h"
#include "util/secret.h"

namespace postern::cli {

/// A link that is not stored yet, and what opens it.
struct MailedLink {
    util::Secret token;
    model::Link link;
};

/// Where the message goes: the address that was valid before the change, the one that is confirmed, or the user's; "":
/// none.
std::string address_for(const model::MailRequest& request, const model::User& user);

/// nullopt: messages of this kind have none.
std::optional<MailedLink> link_for(const model::MailRequest& request, const std::string& address, util::Time now);

/// The whole message; nullopt: its headers cannot hold what they would have to.
std::optional<std::string> compose(const config::Config& config, const text::Languages& languages,
                                   const model::MailRequest& request, const model::User& user,
                                   const std::string& address, const std::optional<MailedLink>& link, util::Time now);

/// Of `postern doctor --mail`.
std::optional<std::string> compose_test(const config::Config& config, const std::string& address, util::Time now);

}  // namespace postern::cli
