// The page on which a user connects a device. The login comes first, so that no code is looked up for strangers, and it
// must have been made for this visit, so that no link makes a session approve by one click.
#include "web/device/device.h"

#include <utility>

#include "http/url.h"
#include "oauth/acr.h"
#include "oauth/user_code.h"
#include "web/device/visit.h"
#include "web/login_step.h"

namespace postern::web {
namespace {

/// In the path of a sealed visit: its code was sent by the form, and counted.
constexpr const char* kSent = "sent";

/// The session that began while the web server let users in does not count as a login of now (as in the account).
bool counts(const Interaction& interaction, const model::AuthorizationRequest& request) {
    const oauth::Settings& settings = interaction.context.settings;
    const auto& session = interaction.browser.session;
    if (!session) return false;
    if (session->how.level == model::Level::unknown && oauth::knows_how_users_log_in(settings)) return false;
    return !settings.device_fresh_login || login::is_made_for(login::policy_of(settings), request, session->auth_time);
}

http::Response begin(Interaction& interaction) {
    const oauth::Settings& settings = interaction.context.settings;
    const auto request =
        account_request(interaction.context, device_page(settings, interaction.request.query.find(kUserCode)));
    return continue_at(interaction, counts(interaction, request) ? *settings.paths.device : settings.paths.login,
                       request, "");
}

http::Response show(const DeviceVisit& visit) {
    const VisitedCode code = code_of(visit);
    if (!code.letters.empty() && visit.interaction.request.query.find(kGoBack) == kGoesBack)
        return go_back(visit, code);
    if (code.is_sent) return show_sent(visit, code.letters);
    return show_code(visit, code.letters.empty() ? "" : oauth::shown_user_code(code.letters), "");
}

http::Response submit(DeviceVisit& visit) {
    const VisitedCode code = code_of(visit);
    const http::Params& form = visit.interaction.request.form;
    const bool is_answer = code.is_sent && (form.find(kDecision) || form.fault_of(kDecision));
    return is_answer ? submit_answer(visit, code.letters) : submit_code(visit);
}

}  // namespace

std::string path_with(const oauth::Settings& settings, const std::string& letters, bool is_sent) {
    const std::string& path = *settings.paths.device;
    if (letters.empty()) return path;
    const std::string shown = oauth::shown_user_code(letters);
    return is_sent ? http::with_query(path, {{kUserCode, shown}, {kSent, "yes"}})
                   : http::with_query(path, {{kUserCode, shown}});
}

VisitedCode code_of(const DeviceVisit& visit) {
    const std::string& page = visit.request.account_page;
    for (const bool is_sent : {true, false}) {
        const auto at = page.find('=');
        if (at == std::string::npos) return {};
        const auto letters = oauth::parse_user_code(page.substr(at + 1, page.find('&') - at - 1));
        if (letters && page == path_with(visit.settings(), *letters, is_sent)) return {*letters, is_sent};
    }
    return {};
}

http::Response log_in(Interaction& interaction, const model::AuthorizationRequest& request) {
    if (request.session_sent && !interaction.browser.session_cookie)
        return refuse_and_offer(interaction, refusal::Reason::session_cookie_missing, request,
                                "the session cookie of the login did not come back");
    if (request.session_sent)
        return interaction.refuse(refusal::Reason::device_login_unproved, "",
                                  "the login at the web server is older than the visit, or its time is not known");
    return continue_at(interaction, interaction.context.settings.paths.login, request, "");
}

std::string device_page(const oauth::Settings& settings, std::optional<std::string_view> text) {
    const auto letters = text ? oauth::parse_user_code(*text) : std::nullopt;
    return path_with(settings, letters.value_or(""), false);
}

http::Response device(Interaction& interaction, const DevicePages& own) {
    const bool posted = interaction.request.method == http::Method::post;
    const http::Params& params = posted ? interaction.request.form : interaction.request.query;
    const bool resumes = params.find("resume") || params.fault_of("resume");
    if (!posted && !resumes) return begin(interaction);
    ASSIGN_OR_RETURN(auto resumed, resume_login(interaction, params));
    if (!is_for_device(interaction.context.settings, resumed.request))
        return interaction.refuse(refusal::Reason::resume_invalid, "", "it is for a login that leads elsewhere");
    if (resumed.request.half_login) {  // worth nothing but the second page
        resumed.request.half_login.reset();
        resumed.sealed = oauth::seal_request(interaction.context, resumed.request, interaction.browser.binding());
    }
    if (!counts(interaction, resumed.request)) return log_in(interaction, resumed.request);
    DeviceVisit visit{interaction, own, std::move(resumed.request), std::move(resumed.sealed)};
    return posted ? submit(visit) : show(visit);
}

}  // namespace postern::web
