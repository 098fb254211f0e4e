// One installation in a temporary directory, and its endpoints run as a web server would run CGI programs (RFC 3875).
//
// POSTERN_BUILD names the build directory (default "build"); the working directory is the source tree. The clock of
// every program is the deployment's own (fake_clock_preload.c): it stands still until a test moves it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/value.h"
#include "support/answer.h"
#include "support/cgi_request.h"
#include "support/database.h"
#include "support/process.h"
#include "support/secrets.h"

namespace postern::test {

CgiRequest get_request(const std::string& query = {});
CgiRequest post_form(const std::string& body);

struct CommandResult {
    int exit_code = -1;
    std::string out;
    std::string err;
};

// Who is registered in every deployment.
inline constexpr const char* kWeb = "web";          ///< confidential, https://app.example/cb, every scope and "api"
inline constexpr const char* kOther = "other";      ///< confidential, https://other.example/cb
inline constexpr const char* kSpa = "spa";          ///< public, https://spa.example/cb
inline constexpr const char* kNative = "native";    ///< public, native, http://127.0.0.1/cb, com.example.app:/cb
inline constexpr const char* kTrusted = "trusted";  ///< confidential, first-party, https://trusted.example/cb
inline constexpr const char* kStrict = "strict";    ///< confidential, PKCE required, https://strict.example/cb
inline constexpr const char* kMany = "many";  ///< confidential, https://many.example/a and https://many.example/b?x=1
inline constexpr const char* kMachine = "machine";  ///< confidential, client_credentials only
/// The end of each confidential client's own secret, behind "<id>".
inline constexpr const char* kSecretTail = ":p%w+d/%41 &=0123456789abcdefghijklm";
inline constexpr const char* kAlice = "alice";  ///< with name, email, phone, address
inline constexpr const char* kBob = "bob";      ///< without claims
inline constexpr const char* kAlicePassword = "correct horse battery staple";
inline constexpr const char* kBobPassword = "Tr0ub4dor&3 \xc3\xa9 at sea";

std::string secret_of(const std::string& client);

/// Runs a program of the build in its place: for tests that need it inside their own process.
using Runner =
    std::function<ProcessResult(const std::vector<std::string>& argv,
                                const std::map<std::string, std::string>& environment, const std::string& input)>;

/// An installation with its endpoints. When it ends, its logs, its database and the files beside the database may hold
/// no secret that passed through it.
class Deployment {
public:
    struct Options {
        std::string issuer = "https://op.example";
        json::Object config = {};  ///< members that are added to the configuration or replace it
    };

    Deployment() : Deployment(Options{}) {}
    explicit Deployment(const Options& options);
    Deployment(const Deployment&) = delete;
    Deployment& operator=(const Deployment&) = delete;
    ~Deployment();

    Answer cgi(const std::string& endpoint, const CgiRequest& request = {}) const;
    CommandResult postern(const std::vector<std::string>& arguments, const std::string& input = {}) const;
    /// Runs the command and returns standard output; a refusal fails the test.
    std::string must(const std::vector<std::string>& arguments, const std::string& input = {}) const;

    /// Sets the runner of programs from now on; nullptr: they are processes of their own again.
    void run_by(Runner runner) { runner_ = std::move(runner); }

    const std::string& issuer() const { return issuer_; }
    /// Returns issuer + path of an endpoint.
    std::string url(const std::string& endpoint) const;
    std::string base_path() const;
    std::string path_of(const std::string& endpoint) const;

    std::int64_t now() const { return now_; }
    void advance(std::chrono::seconds by) { now_ += by.count(); }

    const std::filesystem::path& directory() const { return directory_; }
    std::filesystem::path config_file() const { return directory_ / "postern.json"; }
    std::filesystem::path database_file() const { return directory_ / "data" / "postern.db"; }
    /// Returns every byte that is stored: of the database and its WAL, or of all rows on PostgreSQL.
    std::string stored() const;
    /// Returns the database file, or a URI when the run is on PostgreSQL.
    const std::string& database() const { return database_; }
    std::filesystem::path keys_directory() const { return directory_ / "keys"; }
    const json::Object& config() const { return config_; }
    /// Replaces the configuration file.
    void write_config(const std::string& text) const;
    void configure(const std::string& member, json::Value value);

    std::int64_t count_rows(const std::string& table) const;

private:
    std::string own_path_of(const std::string& endpoint) const;  ///< what `paths` says, or its default
    std::map<std::string, std::string> common_environment() const;
    void register_cast() const;
    ProcessResult start(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
                        const std::string& input) const;
    void look_for_secrets() const;
    std::filesystem::path directory_;
    std::optional<DatabaseCopy> copy_;  ///< on PostgreSQL
    std::string database_;
    std::string issuer_;
    json::Object config_;
    std::int64_t now_;
    Runner runner_;
    bool is_model_ = false;
    mutable std::mutex remembering_;  ///< of the next two: tests ask from several threads at once
    mutable Secrets secrets_;
    mutable std::string diagnostics_;  ///< what programs wrote to standard error
};

/// Returns the build directory under test, or the source tree, as an absolute path.
std::filesystem::path build_directory();
std::filesystem::path source_directory();

/// Returns the whole file; "" when it cannot be read.
std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace postern::test
