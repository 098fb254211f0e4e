// The first page of a login: shows the form, and takes a password or a passkey.
#include "crypto/digest.h"
#include "login/passkey_check.h"
#include "login/password_check.h"
#include "util/text.h"
#include "web/csrf.h"
#include "web/login_pages.h"
#include "web/login_step.h"
#include "web/shown_name.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kWithDevice = "remembered_device";
constexpr const char* kWrong = tr("That user name and password do not match. Check both and try again.");

constexpr std::string_view kAccountPurpose = "postern account v1";

/// Tells whether two attempts meant the same name, without keeping it: what is typed there may be a password. Only with
/// the key can a guess be compared with it.
std::string account_mark(const oauth::Context& context, const std::string& username) {
    const std::string key = crypto::hmac_sha256(context.keys.seal_key().reveal(), kAccountPurpose);
    return audit::short_digest(crypto::hmac_sha256(key, username));
}

/// The aim of the login, as the page names it.
text::Message name_of_destination(const LoginVisit& visit) {
    if (!visit.target) return tr("your account");
    return shown_name(visit.target->client(), visit.request.redirect_uri);
}

/// Whether the message is about what was typed into the two fields (A11Y-3).
enum class Fields { fine, wrong };

http::Response form(Interaction& interaction, const LoginVisit& visit, const std::string& username,
                    const text::Message& message, Fields fields = Fields::fine) {
    pages::LoginPage page;
    page.device = is_for_device(interaction.context.settings, visit.request);
    // No application is named before the code of a device is looked up.
    if (!page.device) page.client_name = name_of_destination(visit);
    page.action = interaction.context.settings.url(interaction.context.settings.paths.login);
    page.csrf = csrf_token(interaction.context, Form::login, interaction.browser, visit.request.id);
    page.resume = visit.sealed;
    page.username = username;
    page.message = message;
    page.fields_wrong = fields == Fields::wrong;
    page.passkey = login::offer_passkey_login(interaction.context, interaction.browser, visit.request);
    const oauth::Settings& settings = interaction.context.settings;
    page.forgot = settings.offers_recovery() ? settings.url(*settings.paths.recover) : settings.branding.help;
    return interaction.pages().login(page, 200);
}

/// A credential, as the audit log calls it.
constexpr const char* kPassword = "password";
constexpr const char* kPasskey = "passkey";

/// On behind a right password, or a passkey. nullopt: the user has changed meanwhile.
std::optional<http::Response> succeed(Interaction& interaction, const LoginVisit& visit, const char* method,
                                      const login::Proof& proof) {
    oauth::Context& context = interaction.context;
    LoginVisit half = visit;
    half.request.half_login = login::begin_login(context, proof);
    const BegunLogin begun = begin(interaction, half, proof);
    if (begun.started) {
        login::note_login(context, *begun.started, begun.device ? kWithDevice : method, visit.request.client_id);
        proof.note();
        http::Response response = go_on_with(interaction, visit, *begun.started);
        if (begun.device) login::send_device(interaction.browser, *begun.device, response);
        return response;
    }
    if (std::holds_alternative<login::AskPassword>(begun.step)) return std::nullopt;
    const auto* choose = std::get_if<login::ChooseNewPassword>(&begun.step);
    const bool is_password_all = choose != nullptr && !choose->then_enrol;
    context.trail.add(is_password_all ? audit::Event::new_password_asked : audit::Event::second_factor_asked,
                      {audit::subject(proof.subject), audit::client(visit.request.client_id)});
    return ask_for(interaction, std::move(half.request), begun.step);
}

/// `account`: account_mark() of a typed name, "" where a passkey was sent.
void note_refusal(Interaction& interaction, audit::Event event, const LoginVisit& visit, const char* method,
                  const std::string& account, const login::ProofRefused& refused) {
    interaction.context.trail.add(event, {{"method", method},
                                          {"reason", refused.detail},
                                          audit::subject(refused.subject),
                                          {"account", account},
                                          audit::client(visit.request.client_id)});
}

/// `page`: the form that is shown again.
http::Response refuse(Interaction& interaction, const LoginVisit& visit, const char* method, const std::string& account,
                      const login::ProofRefused& refused, http::Response page) {
    const bool throttled = refused.fault == login::ProofFault::throttled;
    note_refusal(interaction, throttled ? audit::Event::login_throttled : audit::Event::login_failed, visit, method,
                 account, refused);
    return answer_refused(
        std::move(page), refused,
        {refused.reason, "the login form was shown again", refused.detail, visit.request.client_id.str()});
}

http::Response refuse_password(Interaction& interaction, const LoginVisit& visit, const std::string& username,
                               const login::ProofRefused& refused, const text::Message& wrong = kWrong) {
    const bool throttled = refused.fault == login::ProofFault::throttled;
    return refuse(interaction, visit, kPassword, account_mark(interaction.context, username), refused,
                  throttled ? form(interaction, visit, username, login::wait_message(refused.wait))
                            : form(interaction, visit, username, wrong, Fields::wrong));
}

http::Response refuse_passkey(Interaction& interaction, const LoginVisit& visit, const login::ProofRefused& refused) {
    const bool throttled = refused.fault == login::ProofFault::throttled;
    return refuse(interaction, visit, kPasskey, "", refused,
                  show_first_page(interaction, visit, throttled ? login::wait_message(refused.wait) : kPasskeyRefused));
}

http::Response submit_passkey(Interaction& interaction, const LoginVisit& visit) {
    if (const auto faulty = login::faulty_passkey_field(interaction.request.form))
        return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request, "field: " + *faulty);
    const auto proof =
        login::attempt_passkey({interaction.context, interaction.browser, interaction.request, visit.request});
    if (!proof) return refuse_passkey(interaction, visit, proof.error());
    if (auto response = succeed(interaction, visit, kPasskey, *proof)) return *std::move(response);
    return refuse_passkey(
        interaction, visit,
        {.reason = refusal::Reason::passkey_refused,
         .detail = "the passkey or its challenge was used, or the user changed, while this login waited",
         .subject = proof->subject});
}

http::Response submit_password(Interaction& interaction, const LoginVisit& visit) {
    const http::Params& sent = interaction.request.form;
    const auto typed = sent.find_typed("username");
    if (!typed || login::first_unreadable(sent, {"password"}))
        return refuse_and_offer(interaction, refusal::Reason::form_malformed, visit.request,
                                typed ? "field: password" : "field: username");
    const std::string& username = *typed;
    if (login::has_pasted_space(sent, "password"))
        return refuse_password(interaction, visit, username, {.detail = login::kPastedSpace},
                               login::pasted_space_message());
    const auto proof = login::attempt_password(interaction.context, username,
                                               util::Secret(std::string(sent.find("password").value_or(""))),
                                               interaction.request.remote_address);
    if (!proof && proof.error().fault == login::ProofFault::busy) {
        note_refusal(interaction, audit::Event::login_overloaded, visit, kPassword,
                     account_mark(interaction.context, username), proof.error());
        return refuse_and_offer(interaction, refusal::Reason::too_busy, visit.request, proof.error().detail);
    }
    if (!proof) return refuse_password(interaction, visit, username, proof.error());
    if (auto response = succeed(interaction, visit, kPassword, *proof)) return *std::move(response);
    return refuse_password(
        interaction, visit, username,
        {.detail = "the password was changed or the user disabled while this login waited", .subject = proof->subject});
}

}  // namespace

http::Response show_first_page(Interaction& interaction, const LoginVisit& visit, const text::Message& message) {
    const std::string typed = interaction.request.form.find_typed("username").value_or("");
    return form(interaction, visit, typed.empty() ? visit.request.login_hint.value_or("") : typed, message);
}

http::Response submit_first_page(Interaction& interaction, const LoginVisit& visit) {
    if (auto foreign = refuse_foreign_form(interaction, Form::login, visit.request)) return *std::move(foreign);
    const http::Params& sent = interaction.request.form;
    if (interaction.request.query.find(pages::kLanguageParameter))
        return form(interaction, visit, sent.find_typed("username").value_or(""), "");
    return login::has_passkey(sent) ? submit_passkey(interaction, visit) : submit_password(interaction, visit);
}

}  // namespace postern::web
