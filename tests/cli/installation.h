// A configuration in a temporary directory and the `postern` command of the build under test, run as a shell would run
// it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "json/value.h"
#include "support/database.h"
#include "support/process.h"
#include "support/secrets.h"

namespace postern::test {

using Words = std::vector<std::string>;

/// Returns the words of `first`, then the words of `more`.
Words joined(Words first, const Words& more);

class Installation {
public:
    enum class Start {
        configured,   ///< only the configuration is there
        initialised,  ///< and what `init` makes of it
    };

    explicit Installation(Start start = Start::initialised, const json::Object& config = {});
    Installation(const Installation&) = delete;
    Installation& operator=(const Installation&) = delete;
    ~Installation();

    /// Runs the command with POSTERN_CONFIG set to config_file().
    ProcessResult postern(const Words& arguments, const std::string& input = {}) const;
    /// Runs the command; fails the test unless the exit code is 0 and nothing is on standard error but notes.
    std::string must(const Words& arguments, const std::string& input = {}) const;
    /// Runs the command; fails the test unless it exits with 1, prints no result and gives its reason in one plain
    /// line, which is returned.
    std::string refused(const Words& arguments, const std::string& input = {}) const;
    /// Runs the command; fails the test unless it succeeds; returns its notes, which are on standard error.
    std::string noted(const Words& arguments, const std::string& input = {}) const;
    /// Runs the command with --json like `must`, and parses its output.
    json::Value must_json(Words arguments, const std::string& input = {}) const;
    /// Runs `doctor`; returns "state: detail | fix\n" of each finding of that check.
    std::string findings(std::string_view check) const;

    /// Returns the members that a configuration must have: issuer, database and keys.
    json::Object least_config() const;
    void write_config(const json::Object& members) const;
    /// Writes the configuration anew with this member added or replaced.
    void reconfigure(const std::string& member, json::Value value) const;

    const std::filesystem::path& directory() const { return directory_; }
    std::filesystem::path config_file() const { return directory_ / "postern.json"; }
    /// Returns the file with the command's lines to syslog, beside the directory, which holds nothing else.
    std::filesystem::path syslog_file() const { return directory_.string() + ".syslog"; }
    std::filesystem::path database_file() const { return directory_ / "data" / "postern.db"; }
    /// Returns the database file, or a URI when the run is on PostgreSQL.
    const std::string& database() const { return database_; }
    std::filesystem::path keys_directory() const { return directory_ / "keys"; }
    /// Returns the files of private signing keys whose names begin with `beginning`, in order.
    std::vector<std::filesystem::path> private_keys(std::string_view beginning = {}) const;
    db::Database open() const { return {database_, db::Access::read_write}; }

private:
    std::filesystem::path directory_;
    std::optional<DatabaseCopy> copy_;  ///< on PostgreSQL
    std::string database_;
    mutable Secrets secrets_;
    mutable std::string diagnostics_;  ///< what the command wrote to standard error
};

/// Returns the path of the program under test: $POSTERN_BUILD/bin/postern, "build" by default.
std::string postern_program();

/// Returns the member of that name as text; "" when it is missing or no text.
std::string text_of(const json::Value& value, std::string_view member);
/// Returns the member of that name, which must exist.
const json::Value& member_of(const json::Value& value, std::string_view member);
/// Returns the member of that name, which must be a number, or true or false for flag_of.
std::int64_t integer_of(const json::Value& value, std::string_view member);
bool flag_of(const json::Value& value, std::string_view member);
/// Returns the texts of a JSON array, joined with blanks.
std::string words_of(const json::Value& value, std::string_view member);

/// Returns whether the part is anywhere in the text.
inline bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Returns whether the text is exactly one line that begins with "postern: " and has no control characters.
bool is_one_plain_line(const std::string& text);

/// Returns the permission bits of a file, set-group-id included.
unsigned mode_of(const std::filesystem::path& path);

}  // namespace postern::test
