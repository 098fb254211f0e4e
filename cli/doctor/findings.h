// The checks of `postern doctor` and their findings.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "db/database.h"
#include "util/clock.h"

namespace postern::cli {

enum class State { ok, warning, error };

struct Finding {
    std::string check;  ///< a short word: "config", "key files"
    State state = State::ok;
    std::string detail;  ///< the state
    std::string fix;     ///< what to do; "" if the state is ok
};

/// The fix when the detail is a message that already names it.
inline constexpr const char* kAsSaid = "do what the message says, then run `postern doctor` again";

/// Findings in the order in which they were added.
class Findings {
public:
    void ok(std::string check, std::string detail) {
        list_.push_back({std::move(check), State::ok, std::move(detail), ""});
    }
    void warning(std::string check, std::string detail, std::string fix) {
        list_.push_back({std::move(check), State::warning, std::move(detail), std::move(fix)});
    }
    void error(std::string check, std::string detail, std::string fix) {
        list_.push_back({std::move(check), State::error, std::move(detail), std::move(fix)});
    }
    void add(Finding finding) { list_.push_back(std::move(finding)); }
    /// Adds an "ok" unless `check` already has a finding.
    void ok_unless_found(const std::string& check, const std::string& detail);

    const std::vector<Finding>& list() const { return list_; }
    std::size_t count(State state) const;

private:
    std::vector<Finding> list_;
};

/// A question to a database server, with a finding for each row of `sql`: its columns stand in the place of $1 and $2
/// in `detail`, and as names of SQL in `fix`.
struct Query {
    const char* check;
    State state;
    const char* sql;
    const char* detail;
    const char* fix;
};
/// Adds a finding for each of the `rows` that `query` has found.
void add_each(Findings& findings, const Query& query, db::Statement rows);

inline constexpr mode_t kOthers = 07;
inline constexpr mode_t kOthersWrite = 02;
/// Writes a mode as in "0640".
std::string octal(mode_t mode);
/// Adds a finding and returns false when `directory` cannot be listed.
bool can_list(Findings& findings, const std::string& check, const std::filesystem::path& directory);

/// Checks owners, modes and presence of the files that the configuration names.
void check_files(Findings& findings, const std::string& config_path, const config::Config& config);
/// Checks that only the processes that need a private key can read it.
void check_key_files(Findings& findings, const config::Config& config);
/// Checks that the nodes of a database on a server have the same keys and the same time.
void check_shared_keys(Findings& findings, const config::Config& config);
/// Checks that the database is intact, can be written now and has no record with a time in the future.
void check_database(Findings& findings, const config::Config& config, util::Time now);
/// Checks that the users' claims have what applications commonly require, and that users cannot write the claims which
/// applications take for the operator's word (CLAIM-4, ACCOUNT-11).
void check_users(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Checks that the clients of documents fit `clientDocuments`.
void check_client_documents(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Checks that the clients that registered without a token fit `registration`.
void check_open_registrations(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Checks that clients whose tokens need an audience have one when a request names none.
void check_audiences(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Checks that an API may trust the claims that introspection tells it.
void check_introspection_claims(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Checks that response types, algorithms and demands for which clients are registered are still offered.
void check_issued(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Checks that clients with a FAPI 2.0 profile fit it.
void check_profiles(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Checks that sites have a gate, and hosts of their own.
void check_sites(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Checks that uses of assertions and proofs are remembered on a local disk (JTI-8).
void check_place_of_marks(Findings& findings, const config::Config& config);
/// Checks that clients that sign can do so, and that their keys can be had.
void check_assertions(Findings& findings, db::Database& database, const config::Config& config);
/// Checks the key sets of clients that only endpoints read which fetch nothing (FETCH-15).
void check_key_sets(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Fetches key sets of clients, without keeping them.
void check_key_addresses(Findings& findings, const config::Config& config);
/// Checks which clients were refused in the last day because what they sign has times that do not fit this clock.
void check_client_clocks(Findings& findings, const config::Config& config);
/// Checks who can write the file of the authorities of clients, and that the endpoints can read it.
void check_authorities_file(Findings& findings, const std::string& config_path, const config::Config& config);
/// Checks that clients with certificates can authenticate, and the authorities that issue these.
void check_certificates(Findings& findings, db::Database& database, const oauth::Settings& settings, util::Time now);
/// Checks whether clients have the device grant, which is switched off.
void check_device_grant(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Checks that logins can meet the demands on them, and that the users' second factors are asked for (POLICY-10).
void check_second_factors(Findings& findings, db::Database& database, const oauth::Settings& settings);
/// Checks durability, TLS, clock and roles of a database server, which was reached by `uri`.
void check_server(Findings& findings, db::Database& database, const std::string& uri);
/// Checks the rights and the settings of the roles at a database server.
void check_roles(Findings& findings, db::Database& database);
/// Returns the fix for a server that could not be used, by the message of the server or libpq.
const char* fix_of_connection(const std::string& reason);
/// Checks that there is free space for the database and the log.
void check_room_for_files(Findings& findings, const config::Config& config);
/// Checks that this program can use database, keys and templates, and that the clock is not behind their files.
void check_contents(Findings& findings, const std::string& config_path, const config::Config& config);

/// Checks that this system supports what "sandbox" requires. This process stands for the serving processes.
void check_sandbox(Findings& findings, const config::Config& config);
/// Checks, with "outbound", the program, its certificates, and whether the kernel can confine it.
void check_outbound(Findings& findings, const config::Config& config);
/// Checks, with login.method "saslauthd", its socket, who can reach and replace that, and that it refuses (SOURCE-5).
void check_saslauthd(Findings& findings, const config::Config& config);

/// Checks, with `mail`, that the command is there, and that no message waits for long or was given up.
void check_mail(Findings& findings, db::Database& database, const config::Config& config);
/// Checks that no logout token is overdue, and that no client has an address for a kind of logout that is off.
void check_logouts(Findings& findings, db::Database& database, const config::Config& config);
/// Sends a message to `address`, and adds a finding with the output of the command.
void check_mail_to(Findings& findings, const config::Config& config, const std::string& address);

/// Checks that new passwords can be judged as `login` demands: the list is there and in order (PASSWORD-3).
void check_passwords(Findings& findings, const login::Settings& login);

/// Returns the database with its side files, and the key files.
std::vector<std::filesystem::path> data_files(const config::Config& config);

}  // namespace postern::cli
