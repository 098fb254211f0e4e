// Who does the web server say is in front of the browser? (RFC 3875 §4.1.11; docs/decisions/0018-remote-user.md)
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "json/value.h"
#include "login/proof.h"
#include "model/user.h"
#include "oauth/context.h"

namespace postern::login {

/// Returns the CGI variables that method remote_user reads; none for method password.
std::vector<std::string> remote_variables(const oauth::Settings& settings);

/// A user as the web server describes them in one request.
struct RemoteUser {
    std::string username;
    /// Every claim that the configuration takes from a variable; nullopt: the variable does not hold it.
    std::map<std::string, std::optional<json::Value>> claims;
    std::vector<std::string> unusable;  ///< claims whose variable holds something else, for the log
    /// The groups that the variable of the configuration names; nullopt: it takes none from a variable.
    std::optional<std::set<std::string>> groups;
    std::string groups_fault;             ///< why that variable was not read, for the log
    std::optional<util::Time> auth_time;  ///< nullopt: not told, not readable or in the future, so nothing is proved
};

/// Reads the user from the variables of a request. REMOTE_USER counts only with an AUTH_TYPE, since some servers' stock
/// parameters pass on the unverified name of a Basic header. What a client's certificate says (SSL_CLIENT_..., or
/// REMOTE_USER with AUTH_TYPE ClientCert) counts only with SSL_CLIENT_VERIFY=SUCCESS. Any other variable of the
/// operator's choice needs no company. Refuses a request without a proved name (remote_user_missing), and a name that
/// no user can have (remote_user_unusable).
util::Result<RemoteUser, ProofRefused> read_remote_user(
    const Settings& login, const std::map<std::string, std::string, std::less<>>& variables, util::Time now);

/// Puts what the variables hold into `user`; true when that changed anything. A claim whose variable is empty goes. The
/// claim that an address or number is verified goes with the address or number that it was about.
bool update_claims(model::User& user, const RemoteUser& remote);

/// Finds or creates the user whom the web server names, as its variables describe claims and groups: user and groups in
/// one durable transaction. With `login.remoteLevel` 1 its word is worth a password, with 2 both halves: what a client
/// demands beyond that raises the session later. Refuses a user who is unknown (account_unknown), cannot be made
/// (remote_user_unusable) or is disabled (account_disabled). `request_id` is for the log.
ProofResult attempt_remote_user(oauth::Context& context, const RemoteUser& remote, const std::string& request_id);

}  // namespace postern::login
