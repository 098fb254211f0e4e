// Decides where a client may be told that a session has ended.
#include "oauth/logout_uris.h"

#include "fetch/allowed.h"
#include "oauth/frontchannel_uri.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

/// `problem`: the words behind the address.
std::string sentence(std::string what, const std::string& uri, const std::string& problem) {
    return what.append(" \"").append(util::displayable(uri)).append("\"").append(problem);
}

}  // namespace

std::optional<std::string> backchannel_logout_uri_problem(std::string_view uri, const Settings& settings) {
    if (!util::is_vschar(uri) || uri.find(' ') != uri.npos) return "the URL has a blank or a character beyond ASCII";
    if (auto fault = fetch::url_fault(uri, settings.outbound.ports)) return fault;
    return fetch::host_fault(fetch::host_of(uri), settings.outbound.allow);
}

std::vector<std::string> logout_uri_problems(const model::Client& client, const Settings& settings) {
    const auto& [back, back_session, front, front_session] = client.logout;
    std::vector<std::string> problems;
    if (!back.empty()) {
        if (!settings.backchannel_logout)
            problems.emplace_back(
                "back-channel logout is switched off; set \"backchannelLogout\" in the configuration, or use "
                "--no-backchannel-logout-uri");
        if (const auto problem = backchannel_logout_uri_problem(back, settings))
            problems.push_back(sentence("the back-channel logout URI", back, ": " + *problem));
    } else if (back_session) {
        problems.emplace_back("--backchannel-logout-session-required needs --backchannel-logout-uri");
    }
    if (!front.empty()) {
        if (!settings.frontchannel_logout)
            problems.emplace_back(
                "front-channel logout is switched off; set \"frontchannelLogout\" in the configuration, or use "
                "--no-frontchannel-logout-uri");
        if (const auto problem = frontchannel_uri_problem(front, client.redirect_uris))
            problems.push_back(sentence("the front-channel logout URI", front, " " + *problem));
    } else if (front_session) {
        problems.emplace_back("--frontchannel-logout-session-required needs --frontchannel-logout-uri");
    }
    return problems;
}

bool is_told_of_logouts(const Settings& settings, const model::LogoutUris& uris) {
    return (settings.backchannel_logout && !uris.backchannel.empty()) ||
           (settings.frontchannel_logout && !uris.frontchannel.empty());
}

}  // namespace postern::oauth
