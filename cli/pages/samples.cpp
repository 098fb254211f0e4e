// Every page with sample values.
#include "cli/pages/samples.h"

#include <memory>
#include <string_view>
#include <utility>

#include "web/account/page.h"
#include "web/page.h"
#include "web/recover/page.h"
#include "web/refusal_page.h"

namespace postern::cli {
namespace {

constexpr const char* kClient = "Our wiki";
constexpr const char* kHost = "wiki.example.org";
constexpr const char* kUser = "ada";
constexpr const char* kDay = "3 May 2026";
constexpr const char* kTime = "3 May 2026, 09:30 UTC";
constexpr const char* kWhere = "Firefox on Linux, 192.0.2.7";
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
    explicit Samples(const config::Config& config)
        : templates_(config.templates),
          branding_(config.settings.branding),
          keeper_(config.settings.service_name()),
          pages_(web::read_pages(templates_, branding_)),
          account_(web::read_account_pages(templates_, branding_)),
          recover_(web::read_recover_pages(templates_, branding_)) {}

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

    static web::AccountFrame frame(std::string done = "", std::string problem = "") {
        return {.overview = kHere,
                .logout = kHere,
                .done = std::move(done),
                .problem = std::move(problem),
                .action = kHere,
                .csrf = "sample"};
    }
    static web::NewPasskey new_passkey() { return {kCreation, "sample", std::string("Passkey, ") + kDay}; }
    static web::AppKey key() {
        return {.text = "JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP",
                .link = "otpauth://totp/sample:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                .path = kPicture,
                .size = "29",
                .sealed = "sample"};
    }

    void add_sign_in() {
        web::LoginPage login{.client_name = kClient,
                             .action = kHere,
                             .csrf = "sample",
                             .resume = "sample",
                             .username = "",
                             .message = "",
                             .passkey = {kLogin, "sample"}};
        add("login", pages_->login(login, 200));
        login.username = kUser;
        login.message = "That user name and password do not match.";
        add("login-problem", pages_->login(login, 200));
        login.client_name = login.message = "";
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
        step.message = "That code is not right.";
        add("second_step-problem", pages_->second_step(step, 200));
        add("few_codes", pages_->few_codes({.left = "2", .next = kHere, .codes = kHere}));
    }

    void add_consent() {
        web::ConsentPage consent{.client_name = kClient,
                                 .client_host = kHost,
                                 .username = kUser,
                                 .action = kHere,
                                 .csrf = "sample",
                                 .resume = "sample",
                                 .scopes = {{"profile", "See your name and what else is in your profile"},
                                            {"email", "See your e-mail address"},
                                            {"wiki:read", "Read pages"}},
                                 .resources = {}};
        add("consent", pages_->consent(consent));
        consent.published_at = kHost;
        consent.resources = {"https://api.example.org"};
        add("consent-document", pages_->consent(consent));
        add("form_post", pages_->form_post({.client_name = kClient, .action = kHere, .fields = {{"code", "sample"}}}));
    }

    void add_errors() {
        http::Request request;
        request.id = "sample000000";
        web::RefusalFacts facts{.client_id = "wiki", .detail = "", .issuer = "", .try_again = kHere};
        facts.client_name = kClient;
        facts.username = kUser;
        facts.host = kHost;
        for (int i = 0; i <= static_cast<int>(web::PageFault::logout_form_foreign); ++i) {
            const auto fault = static_cast<web::PageFault>(i);
            const bool is_access = fault == web::PageFault::access_refused;
            facts.other_account = facts.back = is_access ? kHere : "";
            http::Response response = web::refusal_page(*pages_, request, fault, facts);
            const std::string word = response.refusal ? response.refusal->error : std::to_string(i);
            if (i == 0) add("error", response);
            add("error-" + word, std::move(response));
        }
    }

    void add_logout() {
        add("logout",
            pages_->logout(
                {.client_name = kClient, .username = kUser, .action = kHere, .csrf = "sample", .resume = "sample"}));
        add("logged_out", pages_->logged_out());
        add("logged_out-still_signed_in", pages_->still_logged_in(kUser));
    }

    void add_overview() {
        add("account", account_->overview({.frame = frame("Your password is changed."),
                                           .name = "Ada Lovelace",
                                           .username = kUser,
                                           .subject = "00000000-0000-4000-8000-000000000000",
                                           .groups = {"staff"},
                                           .rows = {{"Password", "", kHere},
                                                    {"Passkeys", "2", kHere},
                                                    {"Authenticator app", "on", kHere},
                                                    {"Recovery codes", "7 left", kHere},
                                                    {"Devices", "3", kHere},
                                                    {"Applications", "5", kHere},
                                                    {"Activity", "", kHere}}}));
    }

    void add_password() {
        web::PasswordPage page{.frame = frame(), .username = kUser, .min_length = "15"};
        add("account_password", account_->password(page, 200));
        page.frame.problem = "The new password is too short.";
        page.wrong = web::PasswordPage::Wrong::fresh;
        add("account_password-problem", account_->password(page, 200));
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
        fresh.frame.problem = "That code is not right.";
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
        page.left = "7";
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
            account_->devices({.frame = frame(),
                               .devices = {{"Firefox on Linux", "192.0.2.7", kTime, kTime, "a", true},
                                           {"Safari on iOS", "192.0.2.8", kDay, kTime, "b", false}}}));
        add("account_applications",
            account_->applications({.frame = frame(),
                                    .applications = {{"wiki", kClient, kHost, false, {"Read pages"}, kDay, kTime},
                                                     {"mail", "Our mail", "mail.example.org", true, {}, kDay, ""}}}));
        add("account_applications-none", account_->applications({.frame = frame(), .applications = {}}));
        add("account_activity",
            account_->activity({.frame = frame(),
                                .lines = {{"Signed in with a password and a code", "", kTime, kWhere},
                                          {"Added a passkey", "My phone", kTime, kWhere},
                                          {"Made recovery codes", "", kDay, "administrator"}}}));
    }

    void add_profile() {
        web::ProfilePage page;
        page.frame = frame();
        page.username = kUser;
        page.claims = {{"Name", "Ada Lovelace"}, {"E-mail address", "ada@example.org"}};
        page.keeper = keeper_;
        page.edit = kHere;
        page.subject = "00000000-0000-4000-8000-000000000000";
        page.groups = {"staff"};
        add("account_profile", account_->profile(page));
        web::ProfilePage form;
        form.frame = frame("", "That is not a web address.");
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
        page.app_problem = "That code is not right.";
        add("account_enrol-problem", account_->enrolment(page));
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
        add("recover_done", recover_->link_done({.purpose = model::LinkPurpose::password, .sign_in = kHere}));
        add("recover_done-passkey",
            recover_->link_done(
                {.purpose = model::LinkPurpose::invite, .sign_in = kHere, .passkey = true, .makes_codes = true}));
    }

    const std::string& templates_;
    const oauth::Branding& branding_;
    const std::string keeper_;
    const std::unique_ptr<const web::Pages> pages_;
    const std::unique_ptr<const web::AccountPages> account_;
    const std::unique_ptr<const web::RecoverPages> recover_;
    std::vector<SamplePage> all_;
};

}  // namespace

std::vector<SamplePage> sample_pages(const config::Config& config) { return Samples(config).all(); }

}  // namespace postern::cli
