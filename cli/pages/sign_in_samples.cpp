// The pages of a sign-in, of its end and of links with sample values.
#include "cli/pages/samples.h"
#include "pages/refusal_page.h"

namespace postern::cli {
namespace {

using refusal::Reason;

void add_sign_in(SampleList& list, const pages::Pages& pages) {
    pages::LoginPage login{.client_name = sample_client(),
                           .action = kHere,
                           .csrf = "sample",
                           .resume = "sample",
                           .username = "",
                           .message = "",
                           .passkey = {kPasskeyRequest, "sample"}};
    list.add("login", pages.login(login, 200));
    login.username = kUser;
    login.message = "That user name and password do not match. Check both and try again.";
    list.add("login-problem", pages.login(login, 200));
    login.client_name = "your account";
    login.message = {};
    list.add("login-account", pages.login(login, 200));
    login.client_name = {};
    login.device = true;
    list.add("login-device", pages.login(login, 200));
    pages::SecondStepPage step{.username = kUser,
                               .action = kHere,
                               .csrf = "sample",
                               .resume = "sample",
                               .other_account = kHere,
                               .message = "",
                               .has_codes = true,
                               .passkey = {kPasskeyRequest, "sample"}};
    list.add("second_step", pages.second_step(step, 200));
    step.message = "That code was not accepted. Wait for the next one in your app and try again.";
    step.remembered_until = sample_time();
    list.add("second_step-problem", pages.second_step(step, 200));
    list.add("few_codes", pages.few_codes({.left = text::Message::number(2), .next = kHere, .codes = kHere}));
}

void add_consent(SampleList& list, const pages::Pages& pages) {
    pages::ConsentPage consent{
        .client_name = sample_client(),
        .client_host = kHost,
        .username = kUser,
        .action = kHere,
        .csrf = "sample",
        .resume = "sample",
        .scopes = {{"profile", "See your profile: name, picture, language and the like"},
                   {"email", "See your e-mail address"},
                   {"wiki:read", {"Use the permission {name}", {{"name", text::Message::data("wiki:read")}}}}},
        .resources = {}};
    consent.other_account = kHere;
    list.add("consent", pages.consent(consent));
    consent.published_at = kHost;
    consent.resources = {"https://api.example.org"};
    list.add("consent-document", pages.consent(consent));
    consent.published_at = {};
    consent.registered_itself = consent.any_program = true;
    consent.client_host = "localhost";
    list.add("consent-registered", pages.consent(consent));
    consent.registered_itself = consent.any_program = false;
    consent.client_host = kHost;
    consent.policy_uri = consent.tos_uri = kHere;
    list.add("consent-terms", pages.consent(consent));
    list.add("form_post",
             pages.form_post({.client_name = sample_client(), .action = kHere, .fields = {{"code", "sample"}}}));
}

void add_errors(SampleList& list, const pages::Pages& pages) {
    http::Request request;
    request.id = "sample000000";
    pages::RefusalFacts facts{
        .client_id = "wiki", .detail = "", .issuer = "https://id.example.org", .try_again = kHere};
    facts.client_name = sample_client();
    facts.username = kUser;
    facts.host = kHost;
    bool is_first = true;
    for (const Reason reason : pages::reasons_with_page()) {
        const bool is_access = reason == Reason::access_refused;
        facts.other_account = facts.back = is_access ? kHere : "";
        facts.sign_out = reason >= Reason::logout_malformed && reason <= Reason::logout_form_foreign ? kHere : "";
        facts.recover = reason == Reason::link_not_good ? kHere : "";
        http::Response response = pages::refusal_page(pages, request, reason, facts);
        const std::string word = refusal::row_of(reason).word;
        if (std::exchange(is_first, false)) list.add("error", response);
        list.add("error-" + word, std::move(response));
    }
}

void add_logout(SampleList& list, const pages::Pages& pages) {
    list.add("logout", pages.logout({.client_name = sample_client(),
                                     .leads_to = {},
                                     .username = kUser,
                                     .action = kHere,
                                     .csrf = "sample",
                                     .resume = "sample"}));
    list.add("logout-to_application", pages.logout({.client_name = {},
                                                    .leads_to = sample_client(),
                                                    .username = kUser,
                                                    .action = kHere,
                                                    .csrf = "sample",
                                                    .resume = "sample"}));
    list.add("logged_out", pages.logged_out({}));
    list.add("logged_out-to_application", pages.logged_out({.back = kHere, .client_name = sample_client()}));
    list.add("logged_out-still_signed_in", pages.still_logged_in(kUser));
}

}  // namespace

void add_sign_in_samples(SampleList& list, const pages::Pages& pages) {
    add_sign_in(list, pages);
    add_consent(list, pages);
    add_errors(list, pages);
    add_logout(list, pages);
}

void add_device_samples(SampleList& list, const web::DevicePages& pages) {
    web::DeviceCodePage code{.username = kUser,
                             .action = kHere,
                             .csrf = "sample",
                             .resume = "sample",
                             .user_code = "WDJB-MJHT",
                             .problem = {}};
    list.add("device", pages.code(code, 200));
    code.problem =
        "No device waits with that code. Codes last for some minutes: look at your device again, it may show another one.";
    code.code_wrong = true;
    list.add("device-problem", pages.code(code, 200));
    web::DeviceConsentPage consent{.client_name = sample_client(),
                                   .username = kUser,
                                   .user_code = "WDJB-MJHT",
                                   .address = "203.0.113.7",
                                   .asked_at = sample_time(),
                                   .scopes = {{"email", "See your e-mail address"}},
                                   .resources = {"https://api.example.org"},
                                   .action = kHere,
                                   .csrf = "sample",
                                   .resume = "sample",
                                   .other_account = kHere};
    list.add("device_consent", pages.consent(consent));
    list.add("device_done", pages.done(true));
    list.add("device_done-denied", pages.done(false));
}

void add_recover_samples(SampleList& list, const web::RecoverPages& pages) {
    web::LinkPage page{.purpose = model::LinkPurpose::password,
                       .username = kUser,
                       .min_length = "15",
                       .csrf = "sample",
                       .problem = ""};
    list.add("recover_link", pages.link(page));
    page.purpose = model::LinkPurpose::factors;
    page.problem = "The two new passwords are not the same.";
    list.add("recover_link-factors", pages.link(page));
    page.purpose = model::LinkPurpose::invite;
    page.problem = "";
    page.passkey = sample_passkey();
    list.add("recover_link-invitation", pages.link(page));
    list.add("recover", pages.ask({.csrf = "sample", .problem = {}}, 200));
    list.add("recover-asked", pages.asked());
    list.add("recover_email", pages.email_link({.username = kUser, .email = "ada@example.org", .csrf = "sample"}));
    list.add("recover_email-confirmed", pages.email_link({.username = kUser, .email = "ada@example.org", .csrf = ""}));
    list.add("recover_done", pages.link_done({.purpose = model::LinkPurpose::password, .sign_in = kHere}));
    list.add("recover_done-passkey",
             pages.link_done(
                 {.purpose = model::LinkPurpose::invite, .sign_in = kHere, .passkey = true, .makes_codes = true}));
}

}  // namespace postern::cli
