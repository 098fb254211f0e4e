// Which password the command gives a user (PASSWORD-4).
#pragma once

#include <string>

#include "cli/command.h"
#include "json/value.h"
#include "oauth/settings.h"
#include "store/users.h"
#include "util/secret.h"

namespace postern::cli {

struct PasswordOptions {
    bool from_stdin = false;
    bool weak = false;
    bool must_change = false;
};

/// --password-stdin, --weak and --must-change.
void add_password_options(const Command& command, PasswordOptions& options);

store::MustChange must_change(const PasswordOptions& options);
/// Throws Refused for --must-change where there is no page on which the user could change it.
void require_page_for(const oauth::Settings& settings, const PasswordOptions& options);

/// Throws Refused for a password that pages would not take either, unless `weak`. Returns what `weak` has overridden,
/// for the audit log; "": nothing.
std::string judge_password(const oauth::Settings& settings, const util::Secret& password, const std::string& username,
                           const json::Object& claims, bool weak);

}  // namespace postern::cli
