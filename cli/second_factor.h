// Demands of a second factor: the option for a user or a group, and the users of whom the configuration demands one.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "oauth/acr.h"
#include "store/second_factor.h"

namespace postern::cli {

inline constexpr const char* kRequired = "required";

inline std::string to_word(bool demanded) { return demanded ? kRequired : "default"; }

/// Returns the users who must have a second factor. With "off", marks of users and groups do not count
/// (docs/decisions/0069).
inline store::Demand demand_of(const oauth::Settings& settings) {
    if (oauth::highest_level(settings) < model::Level::second_factor) return store::Demand::no_user;
    return settings.login.second_factor == login::SecondFactor::required ? store::Demand::all : store::Demand::marked;
}

/// Returns the RP ID of the passkeys that count; "" when none does.
inline std::string_view rp_id_of(const oauth::Settings& settings) {
    return oauth::offers_passkeys(settings) ? std::string_view(settings.login.rp_id) : std::string_view();
}

/// Adds the option --second-factor with `help`.
inline void add_second_factor_option(const Command& command, std::optional<std::string>& value, const char* help) {
    command.option("--second-factor", "WHEN", value, help).one_of({kRequired, "default"});
}

}  // namespace postern::cli
