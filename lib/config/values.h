// The configuration as a value, and what a problem with a file is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "oauth/settings.h"
#include "store/replays.h"
#include "util/log.h"

namespace postern::config {

struct Limits {
    std::size_t body = 65536;     ///< bytes of a request body, and of a query
    std::size_t token = 8192;     ///< bytes of a token
    std::size_t parameters = 64;  ///< in one query or body
};

/// The use of the sandbox by processes that have started.
enum class SandboxMode {
    automatic,  ///< as far as the system can
    require,    ///< wholly, or not to start
    off,
};

struct Config {
    oauth::Settings settings;
    std::string database = "/var/lib/postern/postern.db";  ///< or the URI of a PostgreSQL database
    std::string state;                                     ///< "": see state_directory
    std::string node;  ///< one or two characters: which of several machines this is, the beginning of its request ids
    std::string keys = "/var/lib/postern/keys";
    std::string templates;  ///< $(PREFIX)/share/postern/templates
    Limits limits;
    /// CGI variables in which the Authorization header may arrive
    std::vector<std::string> authorization_variables = {"HTTP_AUTHORIZATION"};
    std::vector<std::string> trusted_proxies;  ///< IP addresses whose X-Forwarded-For is believed
    SandboxMode sandbox = SandboxMode::automatic;
    std::string log_target = "stderr";
    util::LogLevel log_level = util::LogLevel::info;
    std::vector<std::string> warnings;  ///< legal but doubtful settings, for the log at start and for `doctor`

    /// Returns the directory of files that the processes of this machine share: refusals and slots. Without "state" it
    /// is the directory of the database file, or that of the default one for a database on a server.
    std::string state_directory() const;
    std::string ring_path() const { return state_directory() + "/refusals.ring"; }
    /// Returns the file that changes when a message waits to be sent (`mail`).
    std::string mail_wake_path() const { return state_directory() + "/mail.wake"; }
    std::string logout_wake_path() const { return state_directory() + "/logout.wake"; }
    /// Returns the beginning of the names of lock files, for slots that hash and for slots that fetch.
    std::string hash_slot_files() const;
    std::string fetch_slot_files() const;
    std::string replay_file(store::ReplayKind kind) const;  ///< of the marks beside a database file (db/replay_file.h)
    /// Returns the tags of the languages that the pages are offered in. Throws as text::Languages does.
    std::vector<std::string> offered_languages() const;
};

/// One problem of the file: the key's full name ("login.window", or "" for the file itself) and what is wrong with it.
struct ConfigProblem {
    std::string key;
    std::string reason;
};

}  // namespace postern::config
