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

/// Returns the address of the message: the one that was valid before the change, the one that is confirmed, or the
/// user's; "": none.
std::string address_for(const model::MailRequest& request, const model::User& user);

/// Returns a new link for the message; nullopt for a kind of message that has none.
std::optional<MailedLink> link_for(const model::MailRequest& request, const std::string& address, util::Time now);

/// Returns the whole message; nullopt when its headers cannot hold the address or the name.
std::optional<std::string> compose(const config::Config& config, const text::Languages& languages,
                                   const model::MailRequest& request, const model::User& user,
                                   const std::string& address, const std::optional<MailedLink>& link, util::Time now);

/// Returns the message of `postern doctor --mail`; nullopt when its headers cannot hold the address.
std::optional<std::string> compose_test(const config::Config& config, const std::string& address, util::Time now);

}  // namespace postern::cli
