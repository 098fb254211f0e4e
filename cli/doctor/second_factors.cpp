// Checks whether what is demanded of logins can be met, and whether factors that users have are asked for.
#include <algorithm>
#include <string>
#include <vector>

#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "cli/second_factor.h"
#include "login/step.h"
#include "oauth/acr.h"
#include "store/second_factor.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr const char* kCheck = "second factors";

/// Why no login has a second factor, in words that begin with the key; nullptr where one can have.
const char* why_none(const oauth::Settings& settings) {
    if (oauth::highest_level(settings) >= model::Level::second_factor) return nullptr;
    return settings.login.has_levels() ? "login.secondFactor is \"off\""
                                       : "login.method is \"remote_user\", where the web server signs users in";
}

const char* fix_of(const oauth::Settings& settings) {
    return settings.login.has_levels()
               ? "\"login\": {\"secondFactor\": \"offered\"}"
               : "let the web server ask for a second factor, or use \"login\": {\"method\": \"password\"}";
}

/// POLICY-10: for an emergency that is over, or for one that the operator has forgotten.
void check_unasked(Findings& findings, db::Database& database, const oauth::Settings& settings, const char* why) {
    const auto counts = store::count_factors(database, store::Demand::no_user, rp_id_of(settings));
    const std::int64_t users = std::max({counts.app, counts.codes, counts.passkeys});
    if (users > 0)
        findings.warning(kCheck,
                         counted(users, "user") + " with a second factor, and " + why + ": they sign in without it",
                         fix_of(settings));
    const auto marked = store::count_marked(database);
    if (marked.users + marked.groups > 0)
        findings.warning(kCheck,
                         counted(marked.users, "user") + " and " + counted(marked.groups, "group") +
                             " of which a second factor is required, and " + why + ": none of them is asked for it",
                         std::string(fix_of(settings)) +
                             ", or `postern user set` and `postern group set` with --second-factor default");
}

/// Why no login has a passkey, in words that begin with the key, and what to do about it.
struct NoPasskeys {
    const char* why;
    const char* fix;
};
NoPasskeys why_no_passkeys(const oauth::Settings& settings) {
    if (settings.login.passkeys == login::Passkeys::off)
        return {"login.passkeys is \"off\"", "\"login\": {\"passkeys\": \"login\"}"};
    return {"the issuer's host is an IP address, for which there are no passkeys",
            "give the issuer the name of a host"};
}

/// Refused at authorize with unmet_authentication_requirements, before any login.
void check_clients(Findings& findings, db::Database& database, const oauth::Settings& settings, const char* why) {
    const model::Level highest = std::max(oauth::highest_level(settings), model::Level::password);
    if (highest == model::Level::phishing_resistant) return;
    auto row = database.query("SELECT count(*), COALESCE(MIN(id), '') FROM clients WHERE enabled = 1 AND level > $1",
                              static_cast<std::int64_t>(highest));
    std::int64_t clients = 0;
    std::string first;
    if (row.step()) row >> clients >> first;
    if (clients == 0) return;
    const bool is_about_passkeys = why == nullptr;
    const NoPasskeys none = why_no_passkeys(settings);
    findings.warning("clients",
                     counted(clients, "client") +
                         (is_about_passkeys ? " with --acr phr, and " : " with --acr mfa or phr, and ") +
                         (is_about_passkeys ? none.why : why) + ": no user can sign in to " +
                         (clients == 1 ? "it, " : "them, first of all ") + in_quotes(first),
                     std::string(is_about_passkeys ? none.fix : fix_of(settings)) + ", or " +
                         util::ShellCommand("postern client set --acr any").value(first).quoted());
}

/// A name that no login can have is not in discovery, and is skipped in acr_values. With remote_user none is, which the
/// configuration's own check has said.
void check_names(Findings& findings, const oauth::Settings& settings) {
    if (!oauth::knows_how_users_log_in(settings)) return;
    std::vector<std::string> names;
    for (const auto& [name, level] : settings.login.acr_names)
        if (!oauth::level_named(settings, name)) names.push_back(name);
    if (names.empty()) return;
    findings.warning(kCheck,
                     "login.acrNames has " + counted(static_cast<std::int64_t>(names.size()), "name") +
                         " of a level that no login here can have, first of all " + in_quotes(names.front()),
                     "a level that discovery has in acr_values_supported, or remove the name");
}

/// A reason why users cannot set up a first second factor after their password, and its fix.
struct Obstacle {
    const char* what;
    const char* fix;
};
Obstacle obstacle_of(const oauth::Settings& settings) {
    if (!settings.paths.account)
        return {"paths.account is null, the page that sets one up: they cannot sign in",
                "route paths.account to the account program, or require none of them"};
    if (!settings.paths.recover)
        return {"login.enrolment is \"link\", and paths.recover is null, the page of links: they cannot sign in",
                "route paths.recover to the recover program, or \"login\": {\"enrolment\": \"login\"}"};
    return {
        "login.enrolment is \"link\": they cannot sign in without a link",
        "a link for each of them, after which they set one up: `postern user reset-link NAME` or `user invite NAME`"};
}

/// They know their passwords and cannot sign in anywhere.
void check_missing(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    if (login::policy_of(settings).may_enrol == login::MayEnrol::everybody) return;
    const std::int64_t users = store::count_factors(database, demand_of(settings), rp_id_of(settings)).missing;
    if (users == 0) return;
    const Obstacle obstacle = obstacle_of(settings);
    findings.warning(kCheck,
                     counted(users, "user") + " who must have a second factor and " + (users == 1 ? "has" : "have") +
                         " none, and " + obstacle.what,
                     obstacle.fix);
}

/// WEBAUTHN-1, WEBAUTHN-25.
void check_passkeys(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    const login::Settings& login = settings.login;
    if (!login.has_levels()) return;
    // A user with nothing but a passkey that does not count has no second factor (POLICY-10).
    const std::string left = ": no login accepts them, and users who have no other second factor sign in without one";
    if (login.passkeys == login::Passkeys::off) {
        const std::int64_t unused = store::count_former_passkeys(database, "");
        if (unused > 0)
            findings.warning("passkeys", counted(unused, "passkey") + ", and login.passkeys is \"off\"" + left,
                             "\"login\": {\"passkeys\": \"login\"}");
        return;
    }
    if (login.rp_id.empty())
        return findings.ok("passkeys",
                           "none is offered: the issuer's host is an IP address, for which browsers have none");
    const std::int64_t former = store::count_former_passkeys(database, login.rp_id);
    if (former > 0)
        findings.warning("passkeys",
                         counted(former, "passkey") + " for another host than " + in_quotes(login.rp_id) + left,
                         "set \"login\": {\"rpId\": ...} to that host (`postern user passkeys NAME` shows it), or let "
                         "the users add new ones");
}

}  // namespace

void check_second_factors(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    const char* why = why_none(settings);
    if (why != nullptr)
        check_unasked(findings, database, settings, why);
    else
        check_missing(findings, database, settings);
    check_clients(findings, database, settings, why);
    check_names(findings, settings);
    check_passkeys(findings, database, settings);
}

}  // namespace postern::cli
