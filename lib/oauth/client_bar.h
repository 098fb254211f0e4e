// May a stored client be used now? One answer for every endpoint, and for the redirect of a logout.
#pragma once

#include <optional>

#include "model/client.h"
#include "oauth/settings.h"
#include "refusal/reason.h"

namespace postern::oauth {

/// The reason why a client has no rights now: it authenticates nowhere, its tokens are inactive, no user signs in to it
/// and nothing is sent to its addresses. What it has lives on, and counts again when the reason goes.
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
