// The pages of the account as they are shipped: what a browser, a person and a password manager find in them.
#include "web/account/page.h"
#include "unit/pages/shipped.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>
#include "unit/text/said.h"

using namespace postern;
using web::AccountPages;

namespace {

const AccountPages& shipped() {
    static const auto pages = web::read_account_pages(test::shipped_book().templates());
    return pages->in(pages->languages()->last_resort());
}

web::AccountFrame frame() {
    web::AccountFrame frame;
    frame.overview = "https://op.example/account";
    frame.logout = "https://op.example/logout";
    frame.action = "https://op.example/account/x";
    frame.csrf = "csrf-1";
    return frame;
}

web::OverviewPage overview() {
    return {.frame = frame(),
            .name = "Ada <b>",
            .username = "ada",
            .subject = "sub-1",
            .groups = {"staff"},
            .rows = {{"Password", "", "https://op.example/account/password"}, {"Devices", "3", ""}}};
}
web::PasswordPage password() {
    web::PasswordPage page;
    page.frame = frame();
    page.username = "ada";
    page.min_length = "15";
    return page;
}
web::DevicesPage devices() {
    const web::ListedDevice own{.name = "Firefox on Linux",
                                .address = "192.0.2.1",
                                .since = "1 May 2026, 10:00 UTC",
                                .last_seen = "3 May 2026, 14:05 UTC",
                                .sid = "sid-1",
                                .is_this = true};
    web::ListedDevice other = own;
    other.is_this = false;
    other.sid = "sid-2";
    other.address = "";
    return {.frame = frame(), .devices = {own, other}, .remembered = {}};
}
web::ApplicationsPage applications() {
    web::ListedApplication wiki;
    wiki.client_id = "wiki";
    wiki.name = "Our <wiki> \xe2\x80\xae";
    wiki.host = "wiki.example.org";
    wiki.permissions = {"See your e-mail address"};
    wiki.since = "1 May 2026";
    wiki.last_used = "3 May 2026, 14:05 UTC";
    return {.frame = frame(), .applications = {wiki}};
}

web::AppPage app_on() {
    web::AppPage page;
    page.frame = frame();
    page.since = "1 May 2026";
    page.last_used = "3 May 2026, 14:05 UTC";
    page.another = "https://op.example/account/app?new=yes";
    return page;
}
web::AppKey app_key() {
    return {.text = "GEZD GNBV",
            .link = "otpauth://totp/op.example:ada?secret=GEZDGNBV&issuer=op.example",
            .path = "M4 4h7v1h-7z",
            .size = "29",
            .sealed = "sealed-1"};
}
web::AppPage new_app() {
    web::AppPage page;
    page.frame = frame();
    page.key = app_key();
    return page;
}
web::CodesPage codes(web::CodesPage::Kind kind) {
    web::CodesPage page;
    page.frame = frame();
    page.kind = kind;
    page.left = "7";
    page.another = "https://op.example/account/codes?new=yes";
    page.stamp = "12";
    if (kind == web::CodesPage::Kind::shown) page.codes = {"1234 5678 9012 3456", "6543 2109 8765 4321"};
    if (kind == web::CodesPage::Kind::shown) page.next = "https://op.example/authorize?resume=sealed-2";
    return page;
}
web::EnrolmentPage enrolment() {
    return {.frame = {"ada<b>", "https://op.example/account/enrol", "csrf-1", "sealed-2",
                      "https://op.example/login?resume=sealed-3"},
            .app_problem = "That code is not right.",
            .passkey_problem = "",
            .passkey = {.options = "{\"challenge\":\"<\"}", .challenge = "sealed-4", .name = "Passkey"},
            .key = app_key()};
}

web::ActivityPage activity() {
    return {.frame = frame(),
            .lines = {
                {"Added a passkey", "My <phone> \xe2\x80\xae", "3 May 2026, 14:05 UTC", "Firefox on Linux, 192.0.2.1"},
                {"Signed in with a password", "", "3 May 2026, 14:00 UTC", "A browser"}}};
}
web::ProfilePage profile() {
    web::ProfilePage page;
    page.frame = frame();
    page.username = "ada";
    page.claims = {{"Name", "Ada <b>"}};
    page.keeper = "op.example";
    page.subject = "sub-1";
    page.groups = {"staff"};
    return page;
}
web::ProfilePage profile_form() {
    web::ProfilePage page;
    page.frame = frame();
    page.fields = {{"nickname", "Nickname", "text", "nickname", "Al \"<b>"},
                   {"website", "Website", "url", "url", "nowhere", true, true}};
    page.sent = "nickname website";
    page.list = "https://op.example/account/profile";
    return page;
}

std::vector<http::Response> all_pages() {
    std::vector<http::Response> pages;
    pages.push_back(shipped().overview(overview()));
    pages.push_back(shipped().password(password(), 200));
    pages.push_back(shipped().devices(devices()));
    pages.push_back(shipped().applications(applications()));
    pages.push_back(shipped().app(app_on(), 200));
    pages.push_back(shipped().app(new_app(), 200));
    pages.push_back(shipped().activity(activity()));
    pages.push_back(shipped().activity({.frame = frame(), .lines = {}}));
    pages.push_back(shipped().profile(profile()));
    pages.push_back(shipped().profile(profile_form()));
    using Kind = web::CodesPage::Kind;
    for (const Kind kind : {Kind::none, Kind::left, Kind::asks, Kind::shown})
        pages.push_back(shipped().codes(codes(kind)));
    return pages;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("account pages: one heading, a way to the content, to the overview and out [A11Y-6]") {
    for (const http::Response& page : all_pages()) {
        CAPTURE(page.body);
        CHECK(page.body.find("<h1") == page.body.rfind("<h1"));
        CHECK(contains(page.body, "<a class=\"skip\" href=\"#content\">"));
        CHECK(contains(page.body, "<main class=\"card\" id=\"content\">"));
        CHECK(contains(page.body, "href=\"https://op.example/account\""));
        CHECK(contains(page.body, "id=\"logout\""));
    }
}

TEST_CASE("account pages: nothing is shown where there is no logout [ACCOUNT-15]") {
    auto page = overview();
    page.frame.logout = "";
    CHECK_FALSE(contains(shipped().overview(page).body, "id=\"logout\""));
}

TEST_CASE("account pages: values are text, and nothing in them turns the text around") {
    CHECK(contains(shipped().overview(overview()).body, "Ada &lt;b&gt;"));
    const std::string listed = shipped().applications(applications()).body;
    CHECK(contains(listed, "Our &lt;wiki&gt;"));
    CHECK_FALSE(contains(listed, "\xe2\x80\xae"));
}

TEST_CASE("account pages: what was done and what went wrong are said in text, and begin the title [A11Y-3]") {
    auto done = overview();
    done.frame.done = "That device is signed out.";
    const std::string said = shipped().overview(done).body;
    CHECK(contains(said, "<title>That device is signed out. – Your account</title>"));
    CHECK(contains(said, "id=\"done\" role=\"status\""));
    auto wrong = password();
    wrong.frame.problem = "The new password is too short.";
    wrong.wrong = web::PasswordPage::Wrong::fresh;
    const http::Response refused = shipped().password(wrong, 429);
    CHECK(refused.status == 429);
    CHECK(contains(refused.body, "<title>The new password is too short. – "));
    CHECK(contains(refused.body, "id=\"problem\" role=\"alert\""));
    CHECK(contains(refused.body, "name=\"new\" autocomplete=\"new-password\" minlength=\"15\""));
    CHECK(contains(refused.body, "autofocus aria-invalid=\"true\" aria-describedby=\"problem rule\""));
}

TEST_CASE("account pages: password managers know the fields of the password page [A11Y-3, PASSWORD-6]") {
    const std::string page = shipped().password(password(), 200).body;
    CHECK(contains(page, "autocomplete=\"username\" readonly"));
    CHECK(contains(page, "name=\"present\" autocomplete=\"current-password\""));
    CHECK(contains(page, "name=\"again\" autocomplete=\"new-password\""));
    CHECK_FALSE(contains(page, "maxlength"));
}

TEST_CASE("account pages: a device is signed out by a button of its own, this one by none [ACCOUNT-8]") {
    const std::string page = shipped().devices(devices()).body;
    CHECK(contains(page, "value=\"sid-2\""));
    CHECK_FALSE(contains(page, "value=\"sid-1\""));
    CHECK(contains(page, "<bdi>Firefox on Linux</bdi> – this device"));
    CHECK(contains(page, "id=\"everywhere\""));
    auto alone = devices();
    alone.devices.pop_back();
    CHECK_FALSE(contains(shipped().devices(alone).body, "<form"));
}

TEST_CASE("account pages: an application that the operator has not checked is named as that [ACCOUNT-9, REG-31]") {
    constexpr const char* kUnchecked = "<p>The administrator of this server has not checked this application.</p>";
    auto page = applications();
    CHECK_FALSE(contains(shipped().applications(page).body, kUnchecked));
    page.applications[0].unchecked = true;
    CHECK(contains(shipped().applications(page).body, kUnchecked));
}

TEST_CASE("account pages: without applications the page says so, and has no form [ACCOUNT-9]") {
    auto none = applications();
    none.applications.clear();
    const std::string page = shipped().applications(none).body;
    CHECK(contains(page, "No application has access"));
    CHECK_FALSE(contains(page, "<form"));
}

TEST_CASE(
    "account pages: the key of a new app is a picture, a text and a link, without styles or data: [TOTP-3, A11Y-2]") {
    const std::string page = shipped().app(new_app(), 200).body;
    CHECK(contains(page, "viewBox=\"0 0 29 29\" role=\"img\" aria-labelledby=\"qr-title\"><title id=\"qr-title\">"));
    CHECK(
        contains(page, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/><path d=\"M4 4h7v1h-7z\" fill=\"#000\"/>"));
    CHECK(contains(page, ">GEZD GNBV</code>"));
    CHECK(contains(page, "href=\"otpauth://totp/op.example:ada?secret=GEZDGNBV&amp;issuer=op.example\""));
    CHECK(contains(page, "autocomplete=\"one-time-code\" inputmode=\"numeric\""));
    CHECK(contains(page, "name=\"app\" value=\"sealed-1\""));
    CHECK_FALSE(contains(page, " style=\""));
    CHECK_FALSE(contains(page, "name=\"remove\""));
    auto without = new_app();
    without.key.path = without.key.size = "";
    const std::string words = shipped().app(without, 200).body;
    CHECK_FALSE(contains(words, "role=\"img\""));
    CHECK(contains(words, ">GEZD GNBV</code>"));
}

TEST_CASE("account pages: a wrong code is said at its field, which gets the focus [A11Y-3]") {
    auto wrong = new_app();
    wrong.frame.problem = "That code is not right.";
    const std::string page = shipped().app(wrong, 200).body;
    CHECK(contains(page, "<title>That code is not right. – Authenticator app</title>"));
    CHECK(contains(page, "aria-describedby=\"problem rule\" aria-invalid=\"true\" autofocus"));
}

TEST_CASE("account pages: an app that is on is removed or replaced, and shows no key [TOTP-7, CODE-5]") {
    const std::string page = shipped().app(app_on(), 200).body;
    CHECK(contains(page, "name=\"remove\" value=\"yes\""));
    CHECK(contains(page, "href=\"https://op.example/account/app?new=yes\""));
    CHECK_FALSE(contains(page, "id=\"key\""));
    CHECK_FALSE(contains(page, "recovery codes end"));
    auto last = app_on();
    last.ends_codes = true;
    CHECK(contains(shipped().app(last, 200).body, "Your recovery codes end with it."));
}

TEST_CASE("account pages: codes are shown by one of four pages, and new ones are asked about first [CODE-2, A11Y-5]") {
    using Kind = web::CodesPage::Kind;
    for (const Kind kind : {Kind::none, Kind::left, Kind::asks, Kind::shown}) {
        const std::string page = shipped().codes(codes(kind)).body;
        CAPTURE(page);
        CHECK(contains(page, "<code dir=\"ltr\">1234 5678 9012 3456</code>") == (kind == Kind::shown));
        CHECK(contains(page, "id=\"kept\"") == (kind == Kind::shown));
        CHECK(contains(page, "Codes left: 7") == (kind == Kind::left));
        CHECK(contains(page, "<form") == (kind == Kind::asks));
        CHECK(contains(page, "name=\"stamp\" value=\"12\"") == (kind == Kind::asks));
    }
}

TEST_CASE("account pages: the activity is a list of text without a form, and says when it is empty [ACCOUNT-13]") {
    const std::string page = shipped().activity(activity()).body;
    CHECK(contains(page, "<h2>Added a passkey: <bdi>My &lt;phone&gt; </bdi></h2>"));
    CHECK(contains(page, "<h2>Signed in with a password</h2>"));
    CHECK(contains(page, "3 May 2026, 14:05 UTC<br>Firefox on Linux, 192.0.2.1"));
    CHECK_FALSE(contains(page, "<form"));
    CHECK(contains(shipped().activity({.frame = frame(), .lines = {}}).body, "There is nothing yet."));
}

TEST_CASE("account pages: the profile is read, and has a way to its form where something can be changed [ACCOUNT-11]") {
    auto page = profile();
    std::string shown = shipped().profile(page).body;
    CHECK(contains(shown, "<dt>Name</dt>"));
    CHECK(contains(shown, "<bdi>Ada &lt;b&gt;</bdi>"));
    CHECK(contains(shown, "<bdi>staff</bdi>"));
    CHECK(contains(shown, "Your profile is kept by <bdi>op.example</bdi>."));
    CHECK_FALSE(contains(shown, "<form"));
    CHECK_FALSE(contains(shown, "id=\"edit\""));
    page.edit = "https://op.example/account/profile?edit=yes";
    shown = shipped().profile(page).body;
    CHECK(contains(shown, "href=\"https://op.example/account/profile?edit=yes\""));
    CHECK(contains(shown, "What you cannot change is kept by <bdi>op.example</bdi>."));
}

TEST_CASE("account pages: each field of the profile has a label, and the wrong one the focus [A11Y-3, ACCOUNT-11]") {
    auto page = profile_form();
    page.frame.problem = "Website: use an address.";
    const std::string shown = shipped().profile(page).body;
    CHECK(contains(shown, "<title>Website: use an address. – Change your profile</title>"));
    CHECK(contains(shown, "<label for=\"nickname\">Nickname</label>"));
    CHECK(contains(shown, "value=\"Al &quot;&lt;b&gt;\" autocomplete=\"nickname\" spellcheck=\"false\">"));
    CHECK(contains(shown,
                   "autocomplete=\"url\" spellcheck=\"false\" autofocus aria-invalid=\"true\" "
                   "aria-describedby=\"problem\">"));
    CHECK(contains(shown, "name=\"claims\" value=\"nickname website\""));
}

TEST_CASE("read_account_pages: a missing template is named") {
    const auto directory = std::filesystem::temp_directory_path() / ("pt-account-" + std::to_string(getpid()));
    std::filesystem::copy("templates", directory);
    std::filesystem::remove(directory / "account_devices.html");
    std::string said;
    try {
        web::read_account_pages(
            pages::TemplateReader(directory.string(), {}, test::shipped_book().languages(), pages::Parsing::at_once));
    } catch (const std::runtime_error& error) {
        said = error.what();
    }
    std::filesystem::remove_all(directory);
    CHECK(contains(said, "account_devices.html"));
}

TEST_CASE(
    "account pages: an app that a login needs is set up without a session's links, and the codes lead on [POLICY-4]") {
    const std::string page = shipped().enrolment(enrolment()).body;
    CHECK(contains(page, "<title>That code is not right. – Protect your account</title>"));
    CHECK(contains(page, "ada&lt;b&gt;"));
    CHECK(contains(page, "name=\"resume\" value=\"sealed-2\""));
    CHECK(contains(page, "name=\"app\" value=\"sealed-1\""));
    CHECK(contains(page, "data-options=\"{&quot;challenge&quot;:&quot;&lt;&quot;}\""));
    CHECK(contains(page, "name=\"challenge\" value=\"sealed-4\""));
    CHECK(contains(page, "GEZD GNBV"));
    CHECK(contains(page, "id=\"other-account\" href=\"https://op.example/login?resume=sealed-3\""));
    CHECK(contains(page, "id=\"problem\" role=\"alert\""));
    CHECK_FALSE(contains(page, "id=\"logout\""));
    const std::string codes_page = shipped().codes(codes(web::CodesPage::Kind::shown)).body;
    CHECK(contains(codes_page, "href=\"https://op.example/authorize?resume=sealed-2\" id=\"kept\""));
}
