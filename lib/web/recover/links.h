// Asking for a link by mail, and the things that a used link does, each in the transaction that spends it.
// docs/decisions/0086-invitation-by-passkey.md
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/message.h"
#include "login/passkey_setup.h"
#include "model/link.h"
#include "oauth/context.h"
#include "store/links.h"
#include "web/recover/page.h"

namespace postern::web {

/// Answers for the page that sends a link by mail. A GET shows the form. A POST gets one and the same page, whatever
/// was typed and however often the caller has asked (MAIL-4, MAIL-6): the name is looked for once, and one row is
/// written for the command that sends. Nothing of what was typed is kept but digests, and `language`, the tag of that
/// of `own`, in which the message will be.
http::Response request_link(oauth::Context& context, const RecoverPages& own, const http::Request& request,
                            const std::string& language);

/// Returns true for a link that was sent to an address that is not the user's any more, and so may be read by another
/// person: it is void, unless it brings the new address.
bool is_of_former_address(db::Database& database, const model::Link& link);

/// The factors that were there and are gone.
struct RemovedFactors {
    bool app = false;
    std::vector<std::string> passkeys = {};  ///< their credential ids
};
/// Sets the new password. A link of purpose `factors` removes the second factors, an invitation that came by mail
/// proves its address (LINK-9). nullopt: the link is not good any more.
std::optional<RemovedFactors> spend_on_password(oauth::Context& context, const login::Browser& browser,
                                                const model::Link& link, const std::string& hash);

/// Sets the address to which a link of purpose `email` was sent, and tells the old one. False: the link is not good any
/// more.
bool spend_on_address(oauth::Context& context, const login::Browser& browser, const model::Link& link);

/// Returns true for an invitation where a passkey alone signs users in (LINK-7).
bool takes_passkey(const oauth::Settings& settings, model::LinkPurpose purpose);

/// Returns the setup of a passkey for the user of `link` that is good without a password. The browser has an id.
login::PasskeySetup invited_setup(oauth::Context& context, const login::Browser& browser, const http::Request& request,
                                  const model::Link& link);

/// Returns the values of the form. Only the ids of the passkeys that the user has already are read.
login::NewPasskey ask_for_invited_passkey(const login::PasskeySetup& setup, const store::FoundLink& found);

/// The result of add_invited_passkey. A refusal leaves the link as it is.
struct InvitedPasskey {
    bool is_spent = false;  ///< false without a refusal: the link is not good any more
    std::optional<login::PasskeyRefusal> refusal = {};
};
/// Adds the passkey and spends the link, or does neither. The user gets no recovery codes: their key is factor.key,
/// which this program may not read. No session begins and none ends.
InvitedPasskey add_invited_passkey(oauth::Context& context, const login::Browser& browser, const model::Link& link,
                                   const login::ProvedPasskey& proved);

}  // namespace postern::web
