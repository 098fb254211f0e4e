// Every page with sample values.
#include "cli/pages/samples.h"

#include <memory>
#include <string_view>
#include <utility>

#include "cli/command.h"
#include "text/languages.h"
#include "util/clock.h"
#include "web/account/page.h"
#include "web/agent_label.h"
#include "web/page.h"
#include "web/recover/page.h"
#include "web/refusal_page.h"
#include "web/shown_time.h"

namespace postern::cli {
namespace {

constexpr const char* kClient = "Our wiki";
constexpr const char* kHost = "wiki.example.org";
constexpr const char* kUser = "ada";
const text::Message kDay = web::shown_day(util::from_epoch(1777800600));
const text::Message kTime = web::shown_time(util::from_epoch(1777800600));
constexpr const char* kWrongCode =
    "That code is not right. Enter the one that the app shows now. The device's clock must be right.";
constexpr const char* kHere = "#";  // where links and forms lead
constexpr const char* kLogin = R"({"challenge":"AAAA","rpId":"id.example.org","allowCredentials":[]})";
constexpr const char* kCreation =
    R"({"challenge":"AAAA","rp":{"name":"id.example.org"},"user":{"id":"AAAA","name":"ada","displayName":"Ada"},)"
    R"("pubKeyCredParams":[{"type":"public-key","alg":-7}],"excludeCredentials":[]})";

/// In the place of a QR code, which this program does not draw: the three corners of one.
constexpr const char* kPicture =
    "M4 4h7v7h-7zM5 5v5h5v-5zM6 6h3v3h-3zM18 4h7v7h-7zM19 5v5h5v-5zM20 6h3v3h-3zM4 18h7v7h-7zM5 19v5h5v-5zM6 20h3v3h-3z";

class Samples {
public:
    Samples(const config::Config& config, const std::string& language)
        : keeper_(config.settings.service_name()),
          book_(web::read_pages(config.templates, config.settings)),
          account_book_(web::read_account_pages(book_->templates())),
          recover_book_(web::read_recover_pages(book_->templates())),
          language_(find(*book_->languages(), language)),
          pages_(&book_->in(language_)),
          account_(&account_book_->in(language_)),
          recover_(&recover_book_->in(language_)) {}

    std::vector<SamplePage> all() {
        add_sign_in();
        add_consent();
        add_errors();
        add_logout();
        add_overview();
        add_password();
        add_app();
        add_passkeys();
        add_codes();
        add_lists();
        add_profile();
        add_enrolment();
        add_links();
        return std::move(all_);
    }

private:
    void add(std::string name, http::Response response) {
        all_.push_back({std::move(name) + ".html", std::move(response.body)});
    }

    static const text::Catalogue& find(const text::Languages& languages, const std::string& tag) {
        if (tag.empty()) return languages.last_resort();
        if (const text::Catalogue* found = languages.find(tag)) return *found;
        throw Refused("pages are not offered in \"" + tag + "\": see \"languages\" in the configuration");
    }
    static text::Message client() { return text::Message::verbatim(kClient); }
    static text::Message where() {
        return {"{browser}, {address}",
                {{"browser", web::shown_agent("Firefox on Linux")}, {"address", text::Message::verbatim("192.0.2.7")}}};
    }
    static web::AccountFrame frame(text::Message done = {}, text::Message problem = {}) {
        return {.overview = kHere,
                .logout = kHere,
                .done = std::move(done),
                .problem = std::move(problem),
                .action = kHere,
                .csrf = "sample"};
    }
    static web::NewPasskey new_passkey() {
        return {kCreation, "sample", text::Message("Passkey, {date}", {{"date", kDay}})};
    }
    static web::AppKey key() {
        return {.text = "JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP",
                .link = "otpauth://totp/sample:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                .path = kPicture,
                .size = "29",
                .sealed = "sample"};
    }

    void add_sign_in() {
        web::LoginPage login{.client_name = client(),
                             .action = kHere,
                             .csrf = "sample",
                             .resume = "sample",
                             .username = "",
                             .message = "",
                             .passkey = {kLogin, "sample"}};
        add("login", pages_->login(login, 200));
        login.username = kUser;
        login.message = "That user name and password do not match. Check both and try again.";
        add("login-problem", pages_->login(login, 200));
        login.client_name = "your account";
        login.message = {};
        add("login-account", pages_->login(login, 200));
        web::SecondStepPage step{.username = kUser,
                                 .action = kHere,
                                 .csrf = "sample",
                                 .resume = "sample",
                                 .other_account = kHere,
                                 .message = "",
                                 .has_codes = true,
                                 .passkey = {kLogin, "sample"}};
        add("second_step", pages_->second_step(step, 200));
        step.message = "That code was not accepted. Wait for the next one in your app and try again.";
        step.remembered_until = kTime;
        add("second_step-problem", pages_->second_step(step, 200));
        add("few_codes", pages_->few_codes({.left = text::Message::number(2), .next = kHere, .codes = kHere}));
    }

    void add_consent() {
        web::ConsentPage consent{
            .client_name = client(),
            .client_host = kHost,
            .username = kUser,
            .action = kHere,
            .csrf = "sample",
            .resume = "sample",
            .scopes = {{"profile", "See your profile: name, picture, language and the like"},
                       {"email", "See your e-mail address"},
                       {"wiki:read", {"Use the permission {name}", {{"name", text::Message::verbatim("wiki:read")}}}}},
            .resources = {}};
        add("consent", pages_->consent(consent));
        consent.published_at = kHost;
        consent.resources = {"https://api.example.org"};
        add("consent-document", pages_->consent(consent));
        add("form_post", pages_->form_post({.client_name = client(), .action = kHere, .fields = {{"code", "sample"}}}));
    }

    void add_errors() {
        http::Request request;
        request.id = "sample000000";
        web::RefusalFacts facts{.client_id = "wiki", .detail = "", .issuer = "", .try_again = kHere};
        facts.client_name = client();
        facts.username = kUser;
        facts.host = kHost;
        for (int i = 0; i <= static_cast<int>(web::PageFault::logout_form_foreign); ++i) {
            const auto fault = static_cast<web::PageFault>(i);
            const bool is_access = fault == web::PageFault::access_refused;
            facts.other_account = facts.back = is_access ? kHere : "";
            facts.recover = fault == web::PageFault::link_not_good ? kHere : "";
            http::Response response = web::refusal_page(*pages_, request, fault, facts);
            const std::string word = response.refusal ? response.refusal->error : std::to_string(i);
            if (i == 0) add("error", response);
            add("error-" + word, std::move(response));
        }
    }

    void add_logout() {
        add("logout",
            pages_->logout(
                {.client_name = client(), .username = kUser, .action = kHere, .csrf = "sample", .resume = "sample"}));
        add("logged_out", pages_->logged_out());
        add("logged_out-still_signed_in", pages_->still_logged_in(kUser));
    }

    void add_overview() {
        add("account",
            account_->overview(
                {.frame = frame("Your password is changed. You are signed out everywhere else."),
                 .name = "Ada Lovelace",
                 .username = kUser,
                 .subject = "00000000-0000-4000-8000-000000000000",
                 .groups = {"staff"},
                 .rows = {{"Password", "", kHere},
                          {"Passkeys", text::Message::number(2), kHere},
                          {"Authenticator app", "on", kHere},
                          {"Recovery codes", {"left: {count}", {{"count", text::Message::number(7)}}}, kHere},
                          {"Devices", text::Message::number(3), kHere},
                          {"Applications", text::Message::number(5), kHere},
                          {"Activity", "", kHere}}}));
    }

    void add_password() {
        web::PasswordPage page{.frame = frame(), .username = kUser, .min_length = "15"};
        add("account_password", account_->password(page, 200));
        page.frame.problem = "The new password must not be your user name.";
        page.wrong = web::PasswordPage::Wrong::fresh;
        add("account_password-problem", account_->password(page, 200));
        web::PasswordPage other{.frame = frame(), .username = kUser, .min_length = "15"};
        other.asks = web::PasswordPage::Asks::new_alone;
        add("account_password-passkey", account_->password(other, 200));
        other.asks = web::PasswordPage::Asks::nothing;
        add("account_password-none", account_->password(other, 200));
    }

    void add_app() {
        add("account_app",
            account_->app(
                {.frame = frame(), .since = kDay, .last_used = kTime, .another = kHere, .ends_codes = true, .key = {}},
                200));
        web::AppPage fresh;
        fresh.frame = frame();
        fresh.key = key();
        add("account_app-new", account_->app(fresh, 200));
        fresh.frame.problem = kWrongCode;
        add("account_app-problem", account_->app(fresh, 200));
    }

    void add_passkeys() {
        web::PasskeysPage page;
        page.frame = frame("Your passkey is added.");
        page.passkeys = {{"My phone", "AAAA", "synchronised", kDay, kTime},
                         {"Security key", "AAAB", "on one device only", kDay, ""}};
        page.another = kHere;
        add("account_passkeys", account_->passkeys(page));
        web::PasskeysPage fresh;
        fresh.frame = frame();
        fresh.fresh = new_passkey();
        fresh.list = kHere;
        add("account_passkeys-new", account_->passkeys(fresh));
    }

    void add_codes() {
        using Kind = web::CodesPage::Kind;
        web::CodesPage page;
        page.frame = frame();
        page.left = text::Message::number(7);
        page.another = page.next = kHere;
        page.stamp = "1";
        page.codes.assign(10, "0000 1111 2222 3333");
        const std::pair<const char*, Kind> kinds[] = {{"account_codes", Kind::left},
                                                      {"account_codes-none", Kind::none},
                                                      {"account_codes-question", Kind::asks},
                                                      {"account_codes-new", Kind::shown}};
        for (const auto& [name, kind] : kinds) {
            page.kind = kind;
            add(name, account_->codes(page));
        }
    }

    void add_lists() {
        add("account_devices",
            account_->devices(
                {.frame = frame(),
                 .devices = {{web::shown_agent("Firefox on Linux"), "192.0.2.7", kTime, kTime, "a", true},
                             {web::shown_agent("Safari on iPhone"), "192.0.2.8", kDay, kTime, "b", false}},
                 .remembered = {{web::shown_agent("Firefox on Linux"), kDay, kTime, kTime, "c"}}}));
        add("account_applications",
            account_->applications(
                {.frame = frame(),
                 .applications = {
                     {"wiki", client(), kHost, false, {"See your e-mail address"}, kDay, kTime},
                     {"mail", text::Message::verbatim("Our mail"), "mail.example.org", true, {}, kDay, ""}}}));
        add("account_applications-none", account_->applications({.frame = frame(), .applications = {}}));
        add("account_activity",
            account_->activity({.frame = frame(),
                                .lines = {{"Signed in with a password and a code", "", kTime, where()},
                                          {"Added a passkey", "My phone", kTime, where()},
                                          {"Made recovery codes", "", kDay, "by the administrator of this service"}}}));
    }

    void add_profile() {
        web::ProfilePage page;
        page.frame = frame();
        page.username = kUser;
        page.claims = {
            {"Name", text::Message::verbatim("Ada Lovelace")},
            {"E-mail address", {"{value} (confirmed)", {{"value", text::Message::verbatim("ada@example.org")}}}}};
        page.keeper = keeper_;
        page.edit = kHere;
        page.subject = "00000000-0000-4000-8000-000000000000";
        page.groups = {"staff"};
        add("account_profile", account_->profile(page));
        web::ProfilePage form;
        form.frame =
            frame({}, {"{field}: {rule}",
                       {{"field", "Website"}, {"rule", "use an address such as https://www.example.org/ada."}}});
        form.fields = {{"name", "Name", "text", "name", "Ada Lovelace", false},
                       {"website", "Website", "url", "url", "example", true}};
        form.sent = "name website";
        form.list = kHere;
        add("account_profile-form", account_->profile(form));
    }

    void add_enrolment() {
        web::EnrolmentPage page{.username = kUser,
                                .action = kHere,
                                .csrf = "sample",
                                .resume = "sample",
                                .other_account = kHere,
                                .app_problem = "",
                                .passkey_problem = "",
                                .passkey = new_passkey(),
                                .key = key()};
        add("account_enrol", account_->enrolment(page));
        page.app_problem = kWrongCode;
        add("account_enrol-problem", account_->enrolment(page));
        add("account_new_password", account_->password_change({.username = kUser,
                                                               .action = kHere,
                                                               .csrf = "sample",
                                                               .resume = "sample",
                                                               .other_account = kHere,
                                                               .min_length = "15",
                                                               .problem = {}}));
    }

    void add_links() {
        web::LinkPage page{.purpose = model::LinkPurpose::password,
                           .username = kUser,
                           .min_length = "15",
                           .csrf = "sample",
                           .problem = ""};
        add("recover_link", recover_->link(page));
        page.purpose = model::LinkPurpose::factors;
        page.problem = "The two new passwords are not the same.";
        add("recover_link-factors", recover_->link(page));
        page.purpose = model::LinkPurpose::invite;
        page.problem = "";
        page.passkey = new_passkey();
        add("recover_link-invitation", recover_->link(page));
        add("recover", recover_->ask({.csrf = "sample", .problem = {}}, 200));
        add("recover-asked", recover_->asked());
        add("recover_email", recover_->email_link({.username = kUser, .email = "ada@example.org", .csrf = "sample"}));
        add("recover_email-confirmed",
            recover_->email_link({.username = kUser, .email = "ada@example.org", .csrf = ""}));
        add("recover_done", recover_->link_done({.purpose = model::LinkPurpose::password, .sign_in = kHere}));
        add("recover_done-passkey",
            recover_->link_done(
                {.purpose = model::LinkPurpose::invite, .sign_in = kHere, .passkey = true, .makes_codes = true}));
    }

    const std::string keeper_;
    const std::unique_ptr<const web::PageBook> book_;
    const std::unique_ptr<const web::InLanguages<web::AccountPages>> account_book_;
    const std::unique_ptr<const web::InLanguages<web::RecoverPages>> recover_book_;
    const text::Catalogue& language_;
    const web::Pages* const pages_;
    const web::AccountPages* const account_;
    const web::RecoverPages* const recover_;
    std::vector<SamplePage> all_;
};

}  // namespace

std::vector<SamplePage> sample_pages(const config::Config& config, const std::string& language) {
    return Samples(config, language).all();
}

}  // namespace postern::cli
