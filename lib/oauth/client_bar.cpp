// Decides whether a stored client may be used now: first whether the operator has disabled it, then by its origin.
#include "oauth/client_bar.h"

#include <algorithm>
#include <stdexcept>

namespace postern::oauth {
namespace {

using model::Origin;
using refusal::Reason;

constexpr ClientBarRow kRows[] = {
    {ClientBar::disabled, Reason::invalid_client_disabled, Reason::client_disabled, Reason::client_disabled,
     "the client is disabled"},
    {ClientBar::documents_off, Reason::invalid_client_documents_off, Reason::client_unknown_documents_off,
     Reason::logout_client_document, "a document describes the client, and clientDocuments is off"},
    {ClientBar::registration_not_open, Reason::invalid_client_registration_not_open,
     Reason::client_disabled_registration_not_open, Reason::client_disabled_registration_not_open,
     "the client registered itself without a token, and registration.mode is not \"open\""},
};

}  // namespace

std::optional<ClientBar> find_client_bar(const Settings& settings, const model::ClientState& state) {
    if (!state.enabled) return ClientBar::disabled;
    if (state.origin == Origin::document && !settings.client_documents.enabled) return ClientBar::documents_off;
    if (state.of_stranger && settings.registration.mode != RegistrationMode::open)
        return ClientBar::registration_not_open;
    return std::nullopt;
}

std::optional<ClientBar> find_client_bar(const Settings& settings, const model::Client& client) {
    return find_client_bar(settings, model::state_of(client));
}

const ClientBarRow& row_of(ClientBar bar) {
    const auto* row = std::ranges::find(kRows, bar, &ClientBarRow::bar);
    if (row == std::end(kRows)) throw std::logic_error("a bar of clients without a row");
    return *row;
}

}  // namespace postern::oauth
