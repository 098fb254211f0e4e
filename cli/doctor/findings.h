// What `postern doctor` looks at, and what it found.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "util/clock.h"

namespace postern::cli {

enum class State { ok, warning, error };

struct Finding {
    std::string check;  ///< a short word: "config", "key files"
    State state = State::ok;
    std::string detail;  ///< what is so
    std::string fix;     ///< what to do; "" when all is well
};

/// Where the detail is a message that names its fix.
inline constexpr const char* kAsSaid = "do what the message says, then run `postern doctor` again";

/// Findings in the order of their making.
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
    /// One "ok" when `check` has found nothing so far.
    void ok_unless_found(const std::string& check, const std::string& detail);

    const std::vector<Finding>& list() const { return list_; }
    std::size_t count(State state) const;

private:
    std::vector<Finding> list_;
};

inline constexpr mode_t kOthers = 07;
inline constexpr mode_t kOthersWrite = 02;
/// "0640"
std::string octal(mode_t mode);
/// False, with a finding, when nothing can be said about what is in there.
bool can_look_into(Findings& findings, const std::string& check, const std::filesystem::path& directory);

/// Owners, modes and presence of the files that the configuration names.
void check_files(Findings& findings, const std::string& config_path, const config::Config& config);
/// The part of it about the key directory: nobody can read a private key who need not.
void check_key_files(Findings& findings, const config::Config& config);
/// That the database is sound, can be written now, and that its records are not of the future.
void check_database(Findings& findings, const config::Config& config, util::Time now);
/// That database and log have room to grow.
void check_room_for_files(Findings& findings, const config::Config& config);
/// That database, keys and templates can be used by this program, and that the clock is not behind their files.
void check_contents(Findings& findings, const std::string& config_path, const config::Config& config);

/// Whether the system has what "sandbox" wants; what is true of this process is taken for true of those that serve.
void check_sandbox(Findings& findings, const config::Config& config);

/// The database with its side files, and the key files.
std::vector<std::filesystem::path> data_files(const config::Config& config);

}  // namespace postern::cli
