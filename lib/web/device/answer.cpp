// The question whether a device gets access, and the user's answer.
#include <utility>
#include <variant>

#include "http/url.h"
#include "login/levels.h"
#include "oauth/device_approval.h"
#include "oauth/next_step.h"
#include "oauth/user_code.h"
#include "pages/permissions.h"
#include "store/client_access.h"
#include "store/client_claims.h"
#include "store/users.h"
#include "text/message.h"
#include "web/device/visit.h"
#include "web/login_step.h"
#include "web/shown_name.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kNotPossible = tr(
    "This device cannot be allowed here: its application needs a kind of sign-in that your account is not set up for.");

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
                                .client_name = shown_name(client, ""),
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
    const store::SecondFactorState user = login::read_levels(visit.interaction.context, input);
    return std::visit(Decide{visit, device, letters, user}, oauth::next_step(input));
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

}  // namespace

http::Response show_sent(const DeviceVisit& visit, const std::string& letters) {
    const auto device = oauth::find_asking_device(visit.context(), letters);
    if (!device) return refuse_code(visit, oauth::shown_user_code(letters), "expired, or answered before");
    if (auto other = decide(visit, *device, letters)) return *std::move(other);
    return show_consent(visit, *device, letters);
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

http::Response go_back(const DeviceVisit& visit, const VisitedCode& code) {
    const std::string shown = oauth::shown_user_code(code.letters);
    if (!code.is_sent) return show_code(visit, shown, "");
    const auto device = oauth::find_asking_device(visit.context(), code.letters);
    return device ? deny(visit, *device, code.letters) : refuse_code(visit, shown, "expired, or answered before");
}

}  // namespace postern::web
