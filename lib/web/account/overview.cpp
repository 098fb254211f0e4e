// The first page of the account.
#include "web/account/account.h"

#include <utility>

#include "login/passkey_setup.h"
#include "store/factors.h"
#include "store/groups.h"
#include "store/users.h"
#include "text/message.h"

namespace postern::web {
namespace {

using text::Message;
using text::tr;

constexpr const char* kTooOldLogin =
    tr("You signed in at your organisation too long ago for this change. Sign in again there, then come back.");

std::string name_of(const model::User& user) {
    const json::Value* name = user.claims.find("name");
    return name != nullptr && name->if_string() != nullptr ? *name->if_string() : "";
}

AccountRow password_row(const AccountVisit& visit) {
    const oauth::Settings& settings = visit.context().settings;
    if (!has_password_page(settings)) return {tr("Password"), tr("kept by your organisation"), settings.branding.help};
    const store::PasswordState password = store::find_password_state(visit.context().store, visit.subject());
    Message state = password.is_set ? Message() : Message(tr("none"));
    if (password.is_set && password.changed_at)
        state = {tr("changed {date}"), {{"date", text::shown_day(*password.changed_at)}}};
    return {tr("Password"), std::move(state), visit.url() + "/password"};
}

/// CODE-4.
Message state_of_codes(std::int64_t unused) {
    return {unused <= store::kFewCodes ? tr("left: {count}. Make new ones") : tr("left: {count}"),
            {{"count", Message::number(unused)}}};
}

Message state_of_passkeys(std::int64_t count) { return count == 0 ? Message(tr("none")) : Message::number(count); }

std::vector<AccountRow> factor_rows(const AccountVisit& visit) {
    const oauth::Settings& settings = visit.context().settings;
    const bool has_app = has_app_page(settings);
    const bool has_passkeys = login::can_have_passkeys(settings);
    if (!has_app && !has_passkeys) return {};
    const store::Factors factors = store::find_factors(visit.context().store, visit.subject());
    std::vector<AccountRow> rows;
    if (has_passkeys) rows.push_back({tr("Passkeys"), state_of_passkeys(factors.passkeys), visit.url() + "/passkeys"});
    if (!has_app) return rows;
    rows.push_back({tr("Authenticator app"), factors.app ? tr("on") : tr("off"), visit.url() + "/app"});
    if (factors.any())
        rows.push_back({tr("Recovery codes"), state_of_codes(factors.unused_codes), visit.url() + "/codes"});
    return rows;
}

std::vector<AccountRow> rows_of(const AccountVisit& visit) {
    std::vector<AccountRow> rows = {password_row(visit)};
    for (AccountRow& row : factor_rows(visit)) rows.push_back(std::move(row));
    rows.push_back({tr("Devices"), Message::number(count_devices(visit)), visit.url() + "/devices"});
    rows.push_back({tr("Applications"), Message::number(count_applications(visit)), visit.url() + "/applications"});
    rows.push_back({tr("Profile"), "", visit.url() + "/profile"});
    rows.push_back({tr("Activity"), "", visit.url() + "/activity"});
    return rows;
}

}  // namespace

http::Response show_overview(AccountVisit& visit) {
    oauth::Context& context = visit.context();
    const auto user = store::find_user(context.store, visit.subject());
    OverviewPage page;
    page.frame = frame_of(visit);
    if (is_too_old_again(visit)) {
        page.frame.problem = kTooOldLogin;
        page.frame.state_parameter = kAfterNewLogin;
    }
    page.name = user ? name_of(*user) : "";
    page.username = user ? user->username : "";
    page.subject = visit.subject().str();
    page.groups = store::groups_of(context.store, visit.subject());
    page.rows = rows_of(visit);
    return visit.pages.overview(page);
}

}  // namespace postern::web
