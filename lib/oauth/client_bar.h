// The reasons why a stored client may not be used now, for every endpoint and for the redirect of a logout.
#pragma once

#include <optional>

#include "model/client.h"
#include "oauth/settings.h"
#include "refusal/reason.h"

namespace postern::oauth {

/// The reason why a client has no rights now: no endpoint authenticates it, its tokens are inactive, no user can sign
/// in to it, and the server sends nothing to its addresses. Its grants and tokens are kept, and are valid again when
/// the reason is gone.
enum class ClientBar {
    disabled,               ///< by the operator
    documents_off,          ///< a document describes it, and `clientDocuments` is off
    registration_not_open,  ///< it registered itself without a token, and `registration.mode` is not `open`
};

std::optional<ClientBar> find_client_bar(const Settings& settings, const model::ClientState& state);
std::optional<ClientBar> find_client_bar(const Settings& settings, const model::Client& client);

/// A bar as it is told.
struct ClientBarRow {
    ClientBar bar;
    refusal::Reason to_client;     ///< where the client authenticates: a case of invalid_client
    refusal::Reason to_user;       ///< on the page of a sign-in
    refusal::Reason after_logout;  ///< why its address is not followed
    const char* detail;            ///< for the operator
};

const ClientBarRow& row_of(ClientBar bar);

}  // namespace postern::oauth
