// The pages of the account as they are shipped: what a browser, a person and a password manager find in them.
#include "web/account/page.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace postern;
using web::AccountPages;

namespace {

const AccountPages& shipped() {
    static const auto pages = web::read_account_pages("templates");  // unit tests run in the project's root
    return *pages;
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
    return {.frame = frame(), .devices = {own, other}};
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

std::vector<http::Response> all_pages() {
    std::vector<http::Response> pages;
    pages.push_back(shipped().overview(overview()));
    pages.push_back(shipped().password(password(), 200));
    pages.push_back(shipped().devices(devices()));
    pages.push_back(shipped().applications(applications()));
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
    CHECK(contains(page, "Firefox on Linux – this device"));
    CHECK(contains(page, "id=\"everywhere\""));
    auto alone = devices();
    alone.devices.pop_back();
    CHECK_FALSE(contains(shipped().devices(alone).body, "<form"));
}

TEST_CASE("account pages: without applications the page says so, and has no form [ACCOUNT-9]") {
    auto none = applications();
    none.applications.clear();
    const std::string page = shipped().applications(none).body;
    CHECK(contains(page, "No application has access"));
    CHECK_FALSE(contains(page, "<form"));
}

TEST_CASE("read_account_pages: a missing template is named") {
    const auto directory = std::filesystem::temp_directory_path() / ("pt-account-" + std::to_string(getpid()));
    std::filesystem::copy("templates", directory);
    std::filesystem::remove(directory / "account_devices.html");
    std::string said;
    try {
        web::read_account_pages(directory.string());
    } catch (const std::runtime_error& error) {
        said = error.what();
    }
    std::filesystem::remove_all(directory);
    CHECK(contains(said, "account_devices.html"));
}
