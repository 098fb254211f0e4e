// The page of what has happened to an account of late.
#include "web/account/account.h"

#include <map>

#include "login/browser.h"
#include "oauth/client_id_url.h"
#include "store/activity.h"
#include "store/clients.h"
#include "text/message.h"
#include "web/destination.h"

namespace postern::web {
namespace {

using text::Message;
using text::tr;

constexpr const char* kByOperator = tr("by the administrator of this service");

/// As the user allowed it: the name of the operator's, the host of a document, and beside the name of a client that
/// registered itself without a token the places of its answers. A client that is gone has its id left.
Message name_of(oauth::Context& context, const std::string& client_id) {
    const auto client = store::find_client(context.store, model::ClientId(client_id));
    if (!client) return Message::verbatim(client_id);
    if (client->origin == model::Origin::document) return Message::data(oauth::host_of_id(client->id));
    if (!model::is_of_stranger(*client) || client->redirect_uris.empty()) return pages::client_name(*client);
    const std::string places = destinations(client->redirect_uris);
    return Message::verbatim(client->name.empty() ? places : client->name + ", " + places);
}

/// What the sentence itself does not say.
Message detail_of(oauth::Context& context, const model::ActivityLine& line, std::map<std::string, Message>& names) {
    switch (line.what) {
        case model::ActivityKind::application_allowed:
        case model::ActivityKind::application_removed:
        case model::ActivityKind::device_allowed: {
            const auto [entry, is_new] = names.try_emplace(line.detail);
            if (is_new) entry->second = name_of(context, line.detail);
            return entry->second;
        }
        case model::ActivityKind::passkey_added:
        case model::ActivityKind::passkey_removed:
        case model::ActivityKind::passkey_suspended:
        case model::ActivityKind::passkey_resumed:
            return Message::verbatim(line.detail);
        default:
            return "";
    }
}

/// "Firefox on Linux, 192.0.2.1"
Message place_of(const oauth::Settings& settings, const model::ActivityLine& line) {
    if (line.agent == model::kOperatorAgent) return kByOperator;
    Message browser = login::shown_agent(line.agent);
    if (!settings.account.addresses || line.address.empty()) return browser;
    return {tr("{browser}, {address}"), {{"browser", std::move(browser)}, {"address", Message::data(line.address)}}};
}

}  // namespace

http::Response show_activity(AccountVisit& visit) {
    oauth::Context& context = visit.context();
    ActivityPage page;
    page.frame = frame_of(visit);
    std::map<std::string, Message> names;
    for (const model::ActivityLine& line : store::list_activity(context.store, visit.subject(), context.now()))
        page.lines.push_back({describe(line), detail_of(context, line, names), text::shown_time(line.at),
                              place_of(context.settings, line)});
    return visit.pages.activity(page);
}

}  // namespace postern::web
