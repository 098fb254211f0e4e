// Who does the web server say is in front of the browser? (RFC 3875 §4.1.11; docs/decisions/0018-remote-user.md)
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "json/value.h"
#include "model/user.h"
#include "oauth/settings.h"
#include "util/clock.h"
#include "util/result.h"

namespace postern::login {

/// The CGI variables that method remote_user reads; none for method password.
std::vector<std::string> remote_variables(const oauth::Settings& settings);

/// The user as the web server describes them in one request.
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

enum class RemoteFault {
    missing,   ///< no name, or REMOTE_USER without AUTH_TYPE: nothing shows that a user was authenticated
    unusable,  ///< a name that no user can have
};

struct RemoteRefusal {
    RemoteFault fault;
    std::string log_detail;
};

/// REMOTE_USER counts only with an AUTH_TYPE, since some servers' stock parameters pass on the unverified
/// name of a Basic header. What a client's certificate says (SSL_CLIENT_..., or REMOTE_USER with AUTH_TYPE ClientCert)
/// counts only with SSL_CLIENT_VERIFY=SUCCESS. Any other variable of the operator's choice needs no company.
util::Result<RemoteUser, RemoteRefusal> read_remote_user(
    const Settings& login, const std::map<std::string, std::string, std::less<>>& variables, util::Time now);

/// Puts what the variables hold into `user`; true when that changed anything. A claim whose variable is empty goes.
/// What says that an address or number is verified goes with the address or number that it was said of.
bool update_claims(model::User& user, const RemoteUser& remote);

}  // namespace postern::login
