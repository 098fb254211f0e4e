// The pages of the account with sample values.
#include "cli/pages/samples.h"
#include "login/browser.h"

namespace postern::cli {
namespace {

constexpr const char* kWrongCode =
    "That code is not right. Enter the one that the app shows now. The device's clock must be right.";

text::Message where() {
    return {"{browser}, {address}",
            {{"browser", login::shown_agent("Firefox on Linux")}, {"address", text::Message::data("192.0.2.7")}}};
}

web::AccountFrame frame(text::Message done = {}, text::Message problem = {}) {
    return {.overview = kHere,
            .logout = kHere,
            .done = std::move(done),
            .problem = std::move(problem),
            .action = kHere,
            .csrf = "sample"};
}

void add_overview(SampleList& list, const web::AccountPages& pages) {
    list.add(
        "account",
        pages.overview({.frame = frame("Your password is changed. You are signed out everywhere else."),
                        .name = "Ada Lovelace",
                        .username = kUser,
                        .subject = "00000000-0000-4000-8000-000000000000",
                        .groups = {"staff"},
                        .rows = {{"Password", {"changed {date}", {{"date", sample_day()}}}, kHere},
                                 {"Passkeys", text::Message::number(2), kHere},
                                 {"Authenticator app", "on", kHere},
                                 {"Recovery codes", {"left: {count}", {{"count", text::Message::number(7)}}}, kHere},
                                 {"Devices", text::Message::number(3), kHere},
                                 {"Applications", text::Message::number(5), kHere},
                                 {"Activity", "", kHere}}}));
}

void add_password(SampleList& list, const web::AccountPages& pages) {
    web::PasswordPage page{.frame = frame(), .username = kUser, .min_length = "15"};
    list.add("account_password", pages.password(page, 200));
    page.frame.problem = "The new password must not be your user name.";
    page.wrong = web::PasswordPage::Wrong::fresh;
    list.add("account_password-problem", pages.password(page, 200));
    web::PasswordPage other{.frame = frame(), .username = kUser, .min_length = "15"};
    other.asks = web::PasswordPage::Asks::new_alone;
    list.add("account_password-passkey", pages.password(other, 200));
    other.asks = web::PasswordPage::Asks::nothing;
    list.add("account_password-none", pages.password(other, 200));
}

void add_app(SampleList& list, const web::AccountPages& pages) {
    list.add("account_app", pages.app({.frame = frame(),
                                       .since = sample_day(),
                                       .last_used = sample_time(),
                                       .another = kHere,
                                       .ends_codes = true,
                                       .key = {}},
                                      200));
    web::AppPage fresh;
    fresh.frame = frame();
    fresh.key = sample_key();
    list.add("account_app-new", pages.app(fresh, 200));
    fresh.frame.problem = kWrongCode;
    list.add("account_app-problem", pages.app(fresh, 200));
}

void add_passkeys(SampleList& list, const web::AccountPages& pages) {
    web::PasskeysPage page;
    page.frame = frame("Your passkey is added.");
    page.passkeys = {{"My phone", "AAAA", "synchronised", sample_day(), sample_time()},
                     {"Security key", "AAAB", "on one device only", sample_day(), ""}};
    page.another = kHere;
    list.add("account_passkeys", pages.passkeys(page));
    web::PasskeysPage fresh;
    fresh.frame = frame();
    fresh.fresh = sample_passkey();
    fresh.list = kHere;
    list.add("account_passkeys-new", pages.passkeys(fresh));
}

void add_codes(SampleList& list, const web::AccountPages& pages) {
    using Kind = web::CodesPage::Kind;
    web::CodesPage page;
    page.frame = frame();
    page.left = text::Message::number(7);
    page.another = page.next = kHere;
    page.stamp = "1";
    page.codes.assign(10, "6744 6501 3046 0532");
    const std::pair<const char*, Kind> kinds[] = {{"account_codes", Kind::left},
                                                  {"account_codes-none", Kind::none},
                                                  {"account_codes-question", Kind::asks},
                                                  {"account_codes-new", Kind::shown}};
    for (const auto& [name, kind] : kinds) {
        page.kind = kind;
        list.add(name, pages.codes(page));
    }
}

void add_lists(SampleList& list, const web::AccountPages& pages) {
    list.add("account_devices", pages.devices({.frame = frame(),
                                               .devices = {{login::shown_agent("Firefox on Linux"), "192.0.2.7",
                                                            sample_time(), sample_time(), "a", true},
                                                           {login::shown_agent("Safari on iPhone"), "192.0.2.8",
                                                            sample_day(), sample_time(), "b", false}},
                                               .remembered = {{login::shown_agent("Firefox on Linux"), sample_day(),
                                                               sample_time(), sample_time(), "c"}}}));
    list.add("account_applications", pages.applications({.frame = frame(),
                                                         .applications = {{"wiki",
                                                                           sample_client(),
                                                                           kHost,
                                                                           false,
                                                                           false,
                                                                           {"See your e-mail address"},
                                                                           sample_day(),
                                                                           sample_time()},
                                                                          {"mail",
                                                                           text::Message::verbatim("Our mail"),
                                                                           "mail.example.org",
                                                                           true,
                                                                           false,
                                                                           {},
                                                                           sample_day(),
                                                                           ""}}}));
    list.add("account_applications-none", pages.applications({.frame = frame(), .applications = {}}));
    list.add(
        "account_activity",
        pages.activity({.frame = frame(),
                        .lines = {{"Signed in with a password and a code", "", sample_time(), where()},
                                  {"Added a passkey", "My phone", sample_time(), where()},
                                  {"Made recovery codes", "", sample_day(), "by the administrator of this service"}}}));
}

void add_profile(SampleList& list, const web::AccountPages& pages, const std::string& keeper) {
    web::ProfilePage page;
    page.frame = frame();
    page.username = kUser;
    page.claims = {{"Name", text::Message::verbatim("Ada Lovelace")},
                   {"E-mail address", {"{value} (confirmed)", {{"value", text::Message::data("ada@example.org")}}}},
                   {"Telephone number", text::Message::data("+44 20 7946 0000")},
                   {"Website", text::Message::data("https://www.example.org/ada/")}};
    page.keeper = keeper;
    page.edit = kHere;
    page.subject = "00000000-0000-4000-8000-000000000000";
    page.groups = {"staff"};
    list.add("account_profile", pages.profile(page));
    web::ProfilePage form;
    form.frame = frame({}, {"{field}: {rule}",
                            {{"field", "Website"}, {"rule", "use an address such as https://www.example.org/ada."}}});
    form.fields = {{"name", "Name", "text", "name", "Ada Lovelace"},
                   {"phone_number", "Telephone number", "text", "tel", "+44 20 7946 0000", true},
                   {"website", "Website", "url", "url", "example", true, true}};
    form.sent = "name phone_number website";
    form.list = kHere;
    list.add("account_profile-form", pages.profile(form));
}

void add_enrolment(SampleList& list, const web::AccountPages& pages) {
    const web::HalfLoginFrame half{kUser, kHere, "sample", "sample", kHere};
    web::EnrolmentPage page{
        .frame = half, .app_problem = "", .passkey_problem = "", .passkey = sample_passkey(), .key = sample_key()};
    list.add("account_enrol", pages.enrolment(page));
    page.app_problem = kWrongCode;
    list.add("account_enrol-problem", pages.enrolment(page));
    list.add("account_new_password", pages.password_change({.frame = half, .min_length = "15", .problem = {}}));
}

}  // namespace

void add_account_samples(SampleList& list, const web::AccountPages& pages, const std::string& keeper) {
    add_overview(list, pages);
    add_password(list, pages);
    add_app(list, pages);
    add_passkeys(list, pages);
    add_codes(list, pages);
    add_lists(list, pages);
    add_profile(list, pages, keeper);
    add_enrolment(list, pages);
}

}  // namespace postern::cli
