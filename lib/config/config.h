// The configuration file: read once, strictly, all problems at once, then constant.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/values.h"
#include "util/result.h"

namespace postern::config {

/// Reads the content of the file. Every problem is in the list, in the order of the file.
util::Result<Config, std::vector<ConfigProblem>> parse_config(std::string_view text);

/// The refusal of a file that cannot be used; the message names the file and lists every problem, a line each.
struct ConfigError : std::runtime_error {
    explicit ConfigError(const std::string& message, std::vector<ConfigProblem> all = {})
        : std::runtime_error(message), problems(std::move(all)) {}
    std::vector<ConfigProblem> problems;  ///< empty where the file cannot be read
};

/// Reads and parses `path`. Throws ConfigError.
Config load_config(const std::string& path);

/// Returns `log.target` of the file, whatever else is wrong in it; "stderr" when the file names none. Never throws.
std::string configured_log_target(const std::string& path) noexcept;

/// Returns POSTERN_CONFIG of the process environment, else /etc/postern/postern.json.
std::string default_config_path();

}  // namespace postern::config
