// Who does the web server say is in front of the browser?
#include "login/remote_user.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "db/write.h"
#include "login/find_or_create_user.h"
#include "model/session.h"
#include "model/standard_claims.h"
#include "model/user.h"
#include "store/client_access.h"
#include "store/factors.h"
#include "store/groups.h"
#include "store/users.h"
#include "util/text.h"

namespace postern::login {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

using refusal::Reason;

constexpr const char* kMethod = "remote_user";
constexpr const char* kStandard = "REMOTE_USER";

constexpr std::size_t kLongestGroups = 65536;

constexpr const char* kVerified = "SSL_CLIENT_VERIFY";

bool is_of_certificate(const std::string& variable) { return variable.starts_with("SSL_CLIENT_"); }

bool is_verified(const Variables& variables) {
    const auto found = variables.find(kVerified);
    return found != variables.end() && found->second == "SUCCESS";
}

/// A certificate proves nothing until its chain is verified, and web servers pass unverified ones on too
/// (SSLVerifyClient optional_no_ca).
std::string value_of(const Variables& variables, const std::string& name) {
    const auto found = variables.find(name);
    if (found == variables.end()) return "";
    return is_of_certificate(name) && !is_verified(variables) ? std::string() : found->second;
}

/// How Apache calls it that SSLUserName has taken the name from a certificate, whether that was verified or not.
bool is_by_certificate(const std::string& auth_type) {
    const std::string lower = util::to_lower(auth_type);
    return lower == "clientcert" || lower == "client_cert";
}

/// Why no user is authenticated; nullopt when the variable names one and the proof is there.
std::optional<std::string> missing_detail(const std::string& variable, const Variables& variables) {
    const std::string wanted =
        " is accepted only with SSL_CLIENT_VERIFY=SUCCESS: the web server must demand a client certificate at the "
        "login path, verify it, and pass that variable on";
    if (is_of_certificate(variable) && !is_verified(variables)) return variable + wanted;
    if (value_of(variables, variable).empty())
        return variable +
               " is empty: the web server must authenticate every user at the login path and pass the name on";
    if (variable != kStandard) return std::nullopt;
    const std::string auth_type = value_of(variables, "AUTH_TYPE");
    if (auth_type.empty())
        return "REMOTE_USER came without AUTH_TYPE, so nothing shows that the web server checked it (nginx's stock "
               "parameters pass the unchecked name of a Basic header)";
    if (is_by_certificate(auth_type) && !is_verified(variables))
        return "REMOTE_USER with AUTH_TYPE " + auth_type + wanted;
    return std::nullopt;
}

/// As directories write it: "TRUE" in LDAP (RFC 4517 §3.3.3), "1" from modules that make text of JSON.
json::Value truth_value(const std::string& text) {
    const std::string lower = util::to_lower(text);
    if (lower == "true" || lower == "1") return true;
    if (lower == "false" || lower == "0") return false;
    return text;
}

json::Value typed(const std::string& claim, const std::string& text) {
    return claim.ends_with("_verified") ? truth_value(text) : model::typed_claim(claim, text);
}

/// nullopt for what is empty, and for what cannot be this claim.
std::optional<json::Value> read_claim(const std::string& claim, const std::string& text) {
    if (text.empty()) return std::nullopt;
    json::Value value = typed(claim, text);
    if (!model::find_standard_claim(claim)->fits(value)) return std::nullopt;
    return value;
}

/// OpenID Connect Core §2: when the user was authenticated, which only the web server knows.
std::optional<util::Time> read_auth_time(const std::string& text, util::Time now) {
    const auto seconds = util::parse_digits(text, util::kMaxEpoch);
    if (!seconds) return std::nullopt;
    const util::Time time = util::from_epoch(*seconds);
    if (time > now || time == model::kAuthTimeUnknown) return std::nullopt;
    return time;
}

/// The values of a variable are compared whole: what a value begins with, or names in other letters, is another group.
std::set<std::string> named_groups(const GroupsFromEnvironment& from, std::string_view text) {
    std::set<std::string> named;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(from.separator, begin), text.size());
        const auto found = from.groups.find(text.substr(begin, end - begin));
        if (found != from.groups.end()) named.insert(found->second);
        begin = end + from.separator.size();
    }
    return named;
}

/// A variable that is too long is not read in part: the user would be in some of the groups by chance.
void read_groups(const GroupsFromEnvironment& from, const std::string& text, RemoteUser& user) {
    const bool is_too_long = text.size() > kLongestGroups;
    if (is_too_long) user.groups_fault = "longer than " + std::to_string(kLongestGroups) + " bytes";
    user.groups = named_groups(from, is_too_long ? std::string_view() : std::string_view(text));
}

struct GroupLeft {
    std::string group;
    std::int64_t grants_ended = 0;  ///< for clients that the user may not use any more
};

struct GroupChanges {
    std::vector<std::string> joined;
    std::vector<GroupLeft> left;
    std::vector<std::string> missing;  ///< named by the web server, but not there: no membership
};

using Names = std::set<std::string>;

/// Each group once, though several values may stand for it.
Names mapped_groups(const GroupsFromEnvironment& from) {
    Names names;
    for (const auto& [value, group] : from.groups) names.insert(group);
    return names;
}

Names groups_of(db::Database& database, const model::Subject& subject) {
    const auto names = store::groups_of(database, subject);
    return {names.begin(), names.end()};
}

/// The names of `a` that are not in `b`.
Names without(const Names& a, const Names& b) {
    Names rest;
    std::ranges::set_difference(a, b, std::inserter(rest, rest.end()));
    return rest;
}

Names both(const Names& a, const Names& b) {
    Names common;
    std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
    return common;
}

/// Puts the user into those of the mapped groups that the web server names, and into no others; memberships of other
/// groups stay. A state that is right already is only read. docs/decisions/0061-groups-from-the-environment.md
GroupChanges follow_groups(const oauth::Context& context, db::Transaction& transaction, const model::Subject& subject,
                           const RemoteUser& remote) {
    GroupChanges changes;
    const auto& from = context.settings.login.groups_from_environment;
    if (!from || !remote.groups) return changes;
    const Names before = both(groups_of(transaction.database(), subject), mapped_groups(*from));
    // First, because a group that the user joins may give a right that another one gave before.
    for (const std::string& name : without(*remote.groups, before)) {
        if (!store::find_group(transaction.database(), name))
            changes.missing.push_back(name);
        else if (store::add_member(transaction, name, subject, context.now()))
            changes.joined.push_back(name);
    }
    for (const std::string& name : without(before, *remote.groups)) {
        if (!store::remove_member(transaction, name, subject)) continue;  // the group was removed meanwhile
        changes.left.push_back({name, store::end_grants_without_access(transaction, subject, context.now())});
    }
    return changes;
}

/// The user whom the web server names, and what it has changed.
struct Updated {
    FoundUser found;
    GroupChanges groups;
};

/// User and groups together or not at all. Without a change nothing is written.
util::Result<Updated, ProofRefused> update(oauth::Context& context, const RemoteUser& remote) {
    const auto action = [&](db::Transaction& transaction) -> util::Result<Updated, ProofRefused> {
        auto found = find_or_create_user(context, transaction, remote.username,
                                         [&](model::User& user) { return update_claims(user, remote); });
        const std::string name = "user: " + remote.username;
        if (!found)
            return ProofRefused{
                .reason = context.settings.login.auto_create ? Reason::remote_user_unusable : Reason::account_unknown,
                .detail = name + "; " + found.error()};
        const model::Subject& subject = found->user.subject;
        if (!found->user.enabled)
            return ProofRefused{.reason = Reason::account_disabled, .detail = name, .subject = subject};
        auto groups = follow_groups(context, transaction, subject, remote);
        if (found->made || found->changed || !groups.joined.empty() || !groups.left.empty()) transaction.commit();
        return Updated{*std::move(found), std::move(groups)};
    };
    return db::write(context.store, db::Durability::full, action);
}

void note_updated(oauth::Context& context, const RemoteUser& remote, const Updated& updated,
                  const std::string& request_id) {
    const audit::Member user = audit::subject(updated.found.user.subject);
    if (updated.found.made) context.trail.add(audit::Event::user_created, {{"method", kMethod}, user});
    for (const std::string& group : updated.groups.joined)
        context.trail.add(audit::Event::group_joined, {{"method", kMethod}, user, {"group", group}});
    for (const auto& [group, ended] : updated.groups.left)
        context.trail.add(
            audit::Event::group_left,
            {{"method", kMethod}, user, {"group", group}, {"grants_ended", ended > 0 ? std::to_string(ended) : ""}});
    for (const std::string& group : updated.groups.missing)
        context.log.warn("group_missing", {{"group", group}, {"id", request_id}});
    for (const std::string& claim : remote.unusable)
        context.log.warn("claim_unusable", {{"claim", claim}, {"id", request_id}});
    if (!remote.groups_fault.empty())
        context.log.warn("groups_unusable", {{"reason", remote.groups_fault}, {"id", request_id}});
}

}  // namespace

std::vector<std::string> remote_variables(const oauth::Settings& settings) {
    const Settings& login = settings.login;
    if (login.method != Method::remote_user) return {};
    std::vector<std::string> names = {login.remote_user_variable, "AUTH_TYPE", kVerified};
    if (login.auth_time_variable) names.push_back(*login.auth_time_variable);
    if (login.groups_from_environment) names.push_back(login.groups_from_environment->variable);
    for (const auto& claim : login.claims_from_environment) names.push_back(claim.second);
    return names;
}

util::Result<RemoteUser, ProofRefused> read_remote_user(const Settings& login, const Variables& variables,
                                                        util::Time now) {
    RemoteUser user;
    user.username = value_of(variables, login.remote_user_variable);
    if (const auto detail = missing_detail(login.remote_user_variable, variables))
        return ProofRefused{.reason = Reason::remote_user_missing, .detail = *detail};
    if (!model::is_user_name(user.username))
        return ProofRefused{.reason = Reason::remote_user_unusable,
                            .detail = login.remote_user_variable +
                                      " must hold 1 to 128 bytes of UTF-8 text without control and direction "
                                      "characters and without a blank at either end"};
    for (const auto& [claim, variable] : login.claims_from_environment) {
        const std::string text = value_of(variables, variable);
        const auto& value = user.claims[claim] = read_claim(claim, text);
        if (!value && !text.empty()) user.unusable.push_back(claim);
    }
    if (const auto& from = login.groups_from_environment) read_groups(*from, value_of(variables, from->variable), user);
    if (login.auth_time_variable) user.auth_time = read_auth_time(value_of(variables, *login.auth_time_variable), now);
    return user;
}

bool update_claims(model::User& user, const RemoteUser& remote) {
    const model::ClaimChanges changes(remote.claims.begin(), remote.claims.end());
    return !model::change_claims(user.claims, changes).changed.empty();
}

ProofResult attempt_remote_user(oauth::Context& context, const RemoteUser& remote, const std::string& request_id) {
    const auto updated = update(context, remote);
    if (!updated) return updated.error();
    note_updated(context, remote, *updated, request_id);
    const model::Subject& subject = updated->found.user.subject;
    return Proof{.subject = subject,
                 .how = {static_cast<model::Level>(context.settings.login.remote_level), ""},
                 .stamp = store::find_stamp(context.store, subject)};
}

}  // namespace postern::login
