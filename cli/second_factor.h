// The option with which the operator demands a second factor of a user, or of the members of a group.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace postern::cli {

inline constexpr const char* kRequired = "required";

inline std::string to_word(bool demanded) { return demanded ? kRequired : "default"; }

/// `help`: of whom it is said.
inline void add_second_factor_option(const Command& command, std::optional<std::string>& value, const char* help) {
    command.option("--second-factor", "WHEN", value, help).one_of({kRequired, "default"});
}

}  // namespace postern::cli
