// How people log in (`login`).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "util/clock.h"

namespace postern::login {

/// The place in `logoutRedirect` of the percent-encoded URL to which the browser returns.
inline constexpr const char* kReturnMark = "{return}";

/// The place where a login is checked.
enum class Method {
    password,     ///< the login page, by user name and password
    remote_user,  ///< the web server, with its own modules; docs/decisions/0018-remote-user.md
    saslauthd,    ///< saslauthd, which the login page asks; docs/decisions/0078-saslauthd.md
};

/// The socket of saslauthd, and the words that it gets besides name and password.
struct Saslauthd {
    std::string socket = "/run/saslauthd/mux";
    std::string service = "postern";  ///< 1 to 64 characters; for PAM the file of that name in /etc/pam.d
    std::string realm = {};           ///< at most 255 bytes
};

/// The users who are asked for a second factor after their password.
enum class SecondFactor {
    offered,   ///< users who have set one up
    required,  ///< all users
    off,       ///< no user
};

/// The way in which users who must have a second factor and have none get one.
enum class Enrolment {
    login,  ///< they set it up after the password
    link,   ///< they need a link from the operator
};

/// The use of passkeys.
enum class Passkeys {
    login,          ///< a login without a password, or the second factor behind one
    second_factor,  ///< the second factor alone
    off,            ///< nothing: none is offered, added or accepted
};

/// Memberships that follow a CGI variable; docs/decisions/0061-groups-from-the-environment.md.
struct GroupsFromEnvironment {
    std::string variable;
    std::string separator;                                   ///< between the values of the variable
    std::map<std::string, std::string, std::less<>> groups;  ///< value, compared byte by byte → name of a group
};

/// The keys of `login`, in the order of the methods that read them.
struct Settings {
    Method method = Method::password;
    /// Returns true if users sign in on our own page.
    bool has_page() const { return method != Method::remote_user; }
    /// Returns true if the level of a login is known: then second factors and levels are ours too.
    bool has_levels() const { return has_page() || remote_level > 0; }
    /// Returns true if the passwords are ours: we store their hashes, compare them, and let users change them.
    bool keeps_passwords() const { return method == Method::password; }

    int max_failures = 10;  ///< per user name and address inside `window`; ten times as many for either alone
    util::Seconds window{900};
    int hash_slots = 2;           ///< password hashes at the same time on this machine
    std::string hash_slot_files;  ///< what the names of their lock files begin with; "": no files, and no limit
    // Settings of the methods with our own page, password and saslauthd:
    SecondFactor second_factor = SecondFactor::offered;
    Enrolment enrolment = Enrolment::login;
    Passkeys passkeys = Passkeys::login;
    std::string rp_id;  ///< of passkeys, WebAuthn §4; "": none can be made, as where the issuer's host is an IP address
    util::Seconds remember_device{0};  ///< so long a browser is not asked again for the second factor; 0: always asked
    std::map<std::string, int> acr_names;  ///< more names for the levels of `acr`: name → 1 to 3
    std::optional<Saslauthd> saslauthd;    ///< of method saslauthd, and there with no other
    bool auto_create = false;              ///< of methods remote_user and saslauthd: an unknown name becomes a new user
    std::size_t password_min_length = 15;  ///< code points of a new password
    int password_min_strength = 40;        ///< bits of a new password, as libzxcvbn estimates; 0: not looked at
    std::optional<std::string> password_blocklist;  ///< the file of factor::PasswordList; nullopt: no password is in it
    // Settings of the method remote_user alone:
    int remote_level = 0;  ///< the level of a login by the web server, 1 or 2; 0: unknown, and nothing is added to it
    std::string remote_user_variable = "REMOTE_USER";            ///< the CGI variable with the user's name
    std::map<std::string, std::string> claims_from_environment;  ///< claim → CGI variable
    std::optional<GroupsFromEnvironment> groups_from_environment;
    std::optional<std::string> auth_time_variable;  ///< CGI variable with the time of the login, in epoch seconds
    std::optional<std::string> logout_redirect;     ///< the web server's own logout; may hold kReturnMark once
};

}  // namespace postern::login
