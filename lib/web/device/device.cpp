// The page on which a user connects a device. The login comes first, so that no code is looked up for strangers, and it
// must have been made for this visit, so that no link makes a session approve by one click.
#include "web/device/device.h"

#include <utility>
#include <variant>

#include "http/url.h"
#include "login/password_check.h"
#include "oauth/acr.h"
#include "oauth/device_approval.h"
#include "oauth/next_step.h"
#include "oauth/user_code.h"
#include "pages/permissions.h"
#include "store/client_access.h"
#include "store/client_claims.h"
#include "store/users.h"
#include "text/message.h"
#include "web/login_step.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kUserCode = "user_code";
constexpr const char* kDecision = "decision";
/// In the path of a sealed visit: its code was sent by the form, and counted.
constexpr const char* kSent = "sent";

constexpr const char* kRefused = tr(
    "No device waits with that code. Codes last for some minutes: look at your device again, it may show another one.");
constexpr const char* kNotPossible = tr(
    "This device cannot be allowed here: its application needs a kind of sign-in that your account is not set up for.");

/// The code of a visit, and whether the form has sent it.
struct VisitedCode {
    std::string letters;  ///< "": none
    bool is_sent = false;
};

/// One request of a visit, of a user whose login counts.
struct DeviceVisit {
    Interaction& interaction;
    const DevicePages& own;
    model::AuthorizationRequest request;  ///< the sealed one
    std::string sealed;

    oauth::Context& context() const { return interaction.context; }
    const oauth::Settings& settings() const { return interaction.context.settings; }
    const model::Session& session() const { return *interaction.browser.session; }
    const std::string& path() const { return *settings().paths.device; }
};

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

/// Without a login that counts. A login without a form gives the same answer again: then a page says why.
http::Response log_in(Interaction& interaction, const model::AuthorizationRequest& request) {
    if (request.session_sent && !interaction.browser.session_cookie)
        return refuse_and_offer(interaction, refusal::Reason::session_cookie_missing, request,
                                "the session cookie of the login did not come back");
    if (request.session_sent)
        return interaction.refuse(refusal::Reason::device_login_unproved, "",
                                  "the login at the web server is older than the visit, or its time is not known");
    return continue_at(interaction, interaction.context.settings.paths.login, request, "");
}

http::Response show_code(const DeviceVisit& visit, const std::string& typed, const text::Message& problem,
                         bool code_wrong = false, int status = 200) {
    DeviceCodePage page;
    page.username = store::find_username(visit.context().store, visit.session().subject);
    page.action = visit.settings().url(visit.path());
    page.csrf = csrf_token(visit.context(), Form::device, visit.interaction.browser, visit.request.id);
    page.resume = visit.sealed;
    page.user_code = typed;
    page.problem = problem;
    page.code_wrong = code_wrong;
    return visit.own.code(page, status);
}

http::Response refuse_code(const DeviceVisit& visit, const std::string& typed, const std::string& detail) {
    http::Response page = show_code(visit, typed, kRefused, true);
    page.refusal =
        http::Refusal{refusal::Reason::device_code_refused, "the form for the code was shown again", detail, ""};
    return page;
}

/// nullopt: the code is looked at.
std::optional<http::Response> refuse_guessing(const DeviceVisit& visit, const std::string& typed) {
    const auto wait = oauth::count_typed_code(visit.context(), visit.session().subject);
    if (!wait) return std::nullopt;
    visit.context().trail.add(audit::Event::user_code_guessed,
                              {audit::subject(visit.session().subject), audit::session(visit.session().sid)});
    http::Response page = show_code(visit, typed, login::wait_message(*wait), false, 429);
    page.set("Retry-After", std::to_string(wait->count()));
    page.refusal = http::Refusal{refusal::Reason::device_code_limited, "the form for the code was shown again",
                                 "more than 20 codes in ten minutes", ""};
    return page;
}

/// The visit with the code that its user has sent.
model::AuthorizationRequest with_sent_code(const DeviceVisit& visit, const std::string& letters) {
    model::AuthorizationRequest request = visit.request;
    request.account_page = path_with(visit.settings(), letters, true);
    return request;
}

http::Response submit_code(const DeviceVisit& visit) {
    if (auto foreign = refuse_foreign_form(visit.interaction, Form::device, visit.request)) return *std::move(foreign);
    const auto typed = visit.interaction.request.form.find_typed(kUserCode);
    if (!typed)
        return refuse_and_offer(visit.interaction, refusal::Reason::form_malformed, visit.request, "field: user_code");
    if (typed->empty()) return show_code(visit, "", "");
    if (auto guessing = refuse_guessing(visit, *typed)) return *std::move(guessing);
    const auto letters = oauth::parse_user_code(*typed);
    if (!letters || !oauth::find_asking_device(visit.context(), *letters))
        return refuse_code(visit, *typed, "mistyped, expired, or answered before");
    return continue_at(visit.interaction, visit.path(), with_sent_code(visit, *letters), "");
}

/// The name of the form that answers for this code and no other one.
std::string id_of_consent(const DeviceVisit& visit, const std::string& letters) {
    return visit.request.id + '.' + letters;
}

std::string url_of_another_login(const DeviceVisit& visit, const std::string& letters) {
    if (!visit.settings().login.has_page()) return "";
    const auto other = account_request(visit.context(), path_with(visit.settings(), letters, false));
    return http::with_query(
        visit.settings().url(visit.settings().paths.login),
        {{"resume", oauth::seal_request(visit.context(), other, visit.interaction.browser.binding())}});
}

http::Response show_consent(const DeviceVisit& visit, const oauth::AskingDevice& device, const std::string& letters) {
    const auto own_claims = device.client.own_claims
                                ? store::find_client_claims(visit.context().store, device.client.id)
                                : std::vector<model::ClientClaim>();
    DeviceConsentPage page;
    page.client_name = pages::client_name(device.client);
    page.username = store::find_username(visit.context().store, visit.session().subject);
    page.user_code = oauth::shown_user_code(letters);
    page.address = device.code.address;
    page.asked_at = text::shown_time(device.code.created_at);
    page.scopes = pages::permissions(visit.settings(), oauth::request_of(device.code), own_claims);
    page.resources = pages::describe_resources(visit.context(), device.code.resources);
    page.action = visit.settings().url(visit.path());
    page.csrf =
        csrf_token(visit.context(), Form::device_consent, visit.interaction.browser, id_of_consent(visit, letters));
    page.resume = visit.sealed;
    page.other_account = url_of_another_login(visit, letters);
    return visit.own.consent(page);
}

/// The page for a user who may not use the client (GROUP-5). The code stays as it is until "back" denies it.
http::Response refuse_access(const DeviceVisit& visit, const model::Client& client, const std::string& letters) {
    visit.context().trail.add(
        audit::Event::access_refused,
        {audit::subject(visit.session().subject), audit::client(client.id), audit::session(visit.session().sid)});
    return pages::refusal_page(visit.interaction.pages(), visit.interaction.request, refusal::Reason::access_refused,
                               {.client_id = client.id.str(),
                                .detail = oauth::may_not_use().log_detail,
                                .issuer = visit.settings().issuer,
                                .client_name = pages::client_name(client),
                                .username = store::find_username(visit.context().store, visit.session().subject),
                                .other_account = url_of_another_login(visit, letters),
                                .back = http::with_query(visit.settings().url(visit.path()),
                                                         {{"resume", visit.sealed}, {kGoBack, kGoesBack}})});
}

/// Carries out what next_step decides about the code. nullopt: the user is asked.
struct Decide {
    const DeviceVisit& visit;
    const oauth::AskingDevice& device;
    const std::string& letters;
    const store::SecondFactorState& user;

    using Answer = std::optional<http::Response>;

    Answer operator()(oauth::ShowConsent) const { return std::nullopt; }
    Answer operator()(oauth::IssueCode) const { return std::nullopt; }
    Answer operator()(oauth::ShowMayNotUse) const { return refuse_access(visit, device.client, letters); }
    Answer operator()(oauth::ShowSecondStep) const { return raise(); }
    Answer operator()(oauth::ShowEnrolment) const { return raise(); }
    Answer operator()(const oauth::Refuse& refuse) const {
        http::Response page = show_code(visit, oauth::shown_user_code(letters), kNotPossible);
        page.refusal = http::Refusal{refuse.error.reason, refuse.error.description, refuse.error.log_detail,
                                     device.client.id.str()};
        return page;
    }
    Answer operator()(oauth::ShowLogin) const { return log_in_again(); }
    Answer operator()(oauth::AlreadyUsed) const { return log_in_again(); }

private:
    Answer log_in_again() const {
        return continue_at(visit.interaction, visit.settings().paths.login, visit.request, "");
    }
    Answer raise() const {
        model::AuthorizationRequest raising = visit.request;
        raising.acr.demanded = device.client.level;
        if (auto answer = raise_login(visit.interaction, raising, &device.client, user)) return answer;
        return log_in_again();
    }
};

std::optional<http::Response> decide(const DeviceVisit& visit, const oauth::AskingDevice& device,
                                     const std::string& letters) {
    const model::AuthorizationRequest request = oauth::request_of(device.code);
    oauth::AuthorizationInput input{
        .request = request,
        .client = device.client,
        .released_claims = visit.settings().released_claims,
        .session = visit.session(),
        .progress = {},
        .consent = {},
        .now = visit.context().now(),
        .may_use = store::may_use(visit.context().store, device.client.id, visit.session().subject)};
    const store::SecondFactorState user = read_levels(visit.interaction, input);
    return std::visit(Decide{visit, device, letters, user}, oauth::next_step(input));
}

/// The code that was sent before: the question, or the step of the login that is missing.
http::Response show_sent(const DeviceVisit& visit, const std::string& letters) {
    const auto device = oauth::find_asking_device(visit.context(), letters);
    if (!device) return refuse_code(visit, oauth::shown_user_code(letters), "expired, or answered before");
    if (auto other = decide(visit, *device, letters)) return *std::move(other);
    return show_consent(visit, *device, letters);
}

/// The code has an answer, or has expired. A second press gets the page of the first.
http::Response show_answered(const DeviceVisit& visit, const std::string& letters, bool approves) {
    if (oauth::was_answered(visit.context(), letters, visit.session().subject, approves))
        return visit.own.done(approves);
    return refuse_code(visit, oauth::shown_user_code(letters), "expired, or answered before");
}

http::Response deny(const DeviceVisit& visit, const oauth::AskingDevice& device, const std::string& letters) {
    if (oauth::deny_device(visit.context(), device, visit.session())) return visit.own.done(false);
    return show_answered(visit, letters, false);  // answered meanwhile
}

http::Response approve(DeviceVisit& visit, const oauth::AskingDevice& device, const std::string& letters) {
    if (auto other = decide(visit, device, letters)) return *std::move(other);
    const auto approved =
        oauth::approve_device(visit.context(), device, visit.session(), visit.interaction.browser.address);
    if (approved) return visit.own.done(true);
    switch (approved.error()) {
        case oauth::NotApproved::session_ended:
            visit.interaction.browser.session.reset();
            return log_in(visit.interaction, visit.request);
        case oauth::NotApproved::may_not_use:
            return refuse_access(visit, device.client, letters);
        case oauth::NotApproved::answered:
            break;
    }
    return show_answered(visit, letters, true);
}

http::Response submit_answer(DeviceVisit& visit, const std::string& letters) {
    Interaction& interaction = visit.interaction;
    if (const auto why = find_form_fault(visit.context(), Form::device_consent, interaction.browser,
                                         id_of_consent(visit, letters), interaction.request))
        return refuse_and_offer(interaction, refusal::Reason::form_foreign, visit.request, *why);
    const std::string_view decision = interaction.request.form.find(kDecision).value_or("");
    if (decision != "approve" && decision != "deny")
        return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request, "field: decision");
    const bool approves = decision == "approve";
    if (const auto device = oauth::find_asking_device(visit.context(), letters))
        return approves ? approve(visit, *device, letters) : deny(visit, *device, letters);
    return show_answered(visit, letters, approves);
}

/// The user may not use the client and lets the device know. A code that was only in an address counts as sent.
http::Response go_back(const DeviceVisit& visit, const VisitedCode& code) {
    const std::string shown = oauth::shown_user_code(code.letters);
    if (!code.is_sent) return show_code(visit, shown, "");
    const auto device = oauth::find_asking_device(visit.context(), code.letters);
    return device ? deny(visit, *device, code.letters) : refuse_code(visit, shown, "expired, or answered before");
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
