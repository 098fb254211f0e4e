// Applies the options about the URIs to which a client is told of the end of sessions.
#include "cli/client/logout.h"

#include "cli/command.h"
#include "util/text.h"

namespace postern::cli {

void add_logout_options(const Command& command, LogoutOptions& options) {
    command.option("--backchannel-logout-uri", "URI", options.backchannel_uri,
                   "Where this server tells it that a session has ended; needs \"backchannelLogout\" in the "
                   "configuration");
    command.flag("--backchannel-logout-session-required", options.backchannel_session_required, true,
                 "It needs sid there, which is always sent");
    command.option("--frontchannel-logout-uri", "URI", options.frontchannel_uri,
                   "What the user's browser loads at a logout, on the origin of a redirect URI; needs "
                   "\"frontchannelLogout\" in the configuration");
    command.flag("--frontchannel-logout-session-required", options.frontchannel_session_required, true,
                 "It needs iss and sid there, which are always sent");
}

void add_logout_set_options(const Command& command, LogoutOptions& options) {
    command.flag("--no-backchannel-logout-uri", options.no_backchannel_uri, "Undo --backchannel-logout-uri");
    command.flag("--no-backchannel-logout-session-required", options.backchannel_session_required, false,
                 "Undo --backchannel-logout-session-required");
    command.flag("--no-frontchannel-logout-uri", options.no_frontchannel_uri, "Undo --frontchannel-logout-uri");
    command.flag("--no-frontchannel-logout-session-required", options.frontchannel_session_required, false,
                 "Undo --frontchannel-logout-session-required");
}

void apply(const LogoutOptions& options, model::Client& client) {
    const auto replace = [](std::string& uri, const std::optional<std::string>& given, bool none, const char* option) {
        refuse_undone(given.has_value(), none, option);
        if (none) uri.clear();
        if (given) uri = util::trim(*given);
    };
    model::LogoutUris& uris = client.logout;
    replace(uris.backchannel, options.backchannel_uri, options.no_backchannel_uri, "backchannel-logout-uri");
    replace(uris.frontchannel, options.frontchannel_uri, options.no_frontchannel_uri, "frontchannel-logout-uri");
    if (options.backchannel_session_required) uris.backchannel_session_required = *options.backchannel_session_required;
    if (options.frontchannel_session_required)
        uris.frontchannel_session_required = *options.frontchannel_session_required;
}

}  // namespace postern::cli
