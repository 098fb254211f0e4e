// A signed-in browser in front of the pages of the account, without a server: pages are recorded and not rendered.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "crypto/password.h"
#include "store/users.h"
#include "unit/web/page_flow.h"
#include "web/account/account.h"
#include "web/login.h"

namespace postern::test {

/// Keeps the last page of each kind. An answer's body is the kind.
class RecordedAccountPages final : public web::AccountPages {
public:
    http::Response overview(const web::OverviewPage& page) const override {
        last_overview = page;
        return shown("overview", page.frame, 200);
    }
    http::Response password(const web::PasswordPage& page, int status) const override {
        last_password = page;
        return shown("password", page.frame, status);
    }
    http::Response devices(const web::DevicesPage& page) const override {
        last_devices = page;
        return shown("devices", page.frame, 200);
    }
    http::Response applications(const web::ApplicationsPage& page) const override {
        last_applications = page;
        return shown("applications", page.frame, 200);
    }
    http::Response app(const web::AppPage& page, int status) const override {
        last_app = page;
        return shown("app", page.frame, status);
    }
    http::Response passkeys(const web::PasskeysPage& page) const override {
        last_passkeys = page;
        return shown("passkeys", page.frame, 200);
    }
    http::Response activity(const web::ActivityPage& page) const override {
        last_activity = page;
        return shown("activity", page.frame, 200);
    }
    http::Response profile(const web::ProfilePage& page) const override {
        last_profile = page;
        return shown("profile", page.frame, 200);
    }
    http::Response codes(const web::CodesPage& page) const override {
        last_codes = page;
        return shown("codes", page.frame, 200);
    }
    http::Response enrolment(const web::EnrolmentPage& page) const override {
        last_enrolment = page;
        return shown("enrolment", {}, 200);
    }
    http::Response password_change(const web::PasswordChangePage&) const override {
        return shown("password change", {}, 200);
    }

    mutable web::AccountFrame last_frame;
    mutable web::OverviewPage last_overview;
    mutable web::PasswordPage last_password;
    mutable web::DevicesPage last_devices;
    mutable web::ApplicationsPage last_applications;
    mutable web::AppPage last_app;
    mutable web::PasskeysPage last_passkeys;
    mutable web::ActivityPage last_activity;
    mutable web::ProfilePage last_profile;
    mutable web::CodesPage last_codes;
    mutable web::EnrolmentPage last_enrolment;

private:
    http::Response shown(const char* kind, const web::AccountFrame& frame, int status) const {
        last_frame = frame;
        http::Response response;
        response.status = status;
        response.body = kind;
        return response;
    }
};

struct AccountFlow : PageFlow {
    static constexpr const char* kPassword = "a present password";

    model::User alice = fixture.add_user("alice");
    model::User bob = fixture.add_user("bob");
    RecordedAccountPages account_pages;
    /// Runs after the browser was recognised, before its request is answered.
    std::function<void()> meanwhile = [] {};

    AccountFlow() {
        fixture.settings.oidc = true;
        for (const model::User* user : {&alice, &bob}) {
            db::Transaction transaction(fixture.database, db::Durability::full);
            store::set_password_hash(transaction, user->subject, crypto::hash_password(util::Secret(kPassword)),
                                     fixture.clock.now());
            transaction.commit();
        }
        sign_in(alice, "of-alice");
    }

    /// Opens the page behind `paths.account` with GET; `press` sends its form with POST.
    http::Response open(const std::string& page, const std::map<std::string, std::string>& query = {}) {
        return visit(at(page), query);
    }
    http::Response press(const std::string& page, const std::map<std::string, std::string>& form) {
        return submit(at(page), form);
    }
    /// Presses a button with the token of the page's form, which is opened first.
    http::Response press_own(const std::string& page, std::map<std::string, std::string> form) {
        open(page);
        form["csrf"] = account_pages.last_frame.csrf;
        return press(page, form);
    }
    std::string session_cookie() const {
        const auto found = cookies.find(login::cookie_names(fixture.settings).session);
        return found == cookies.end() ? "" : found->second;
    }
    bool is_live(const std::string& cookie) {
        http::Request request = get("");
        request.cookie = login::cookie_names(fixture.settings).session + "=" + cookie;
        oauth::Context context = fixture.context();
        return login::recognise(context, request).session.has_value();
    }

private:
    Handler at(const std::string& page) {
        return [this, page](web::Interaction& interaction) {
            http::Request request = interaction.request;
            request.path = *fixture.settings.paths.account + page;
            web::Interaction own(interaction.context, interaction.all_pages, request);
            meanwhile();
            return web::account(own, account_pages);
        };
    }
};

/// Returns the address that the browser is sent to, with the query.
inline std::string location_of(const http::Response& answer) {
    const std::string* location = answer.find("Location");
    return location ? *location : "";
}

}  // namespace postern::test
