// Which names and claims a user may have, and the types of claims (OpenID Connect Core §5.1).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "json/value.h"
#include "model/user.h"
#include "oauth/settings.h"

namespace postern::cli {

/// Throws Refused for a name that could not be typed at login or does not look like what it is.
void require_username(const std::string& name);

/// Returns an enabled user with a new subject, not stored yet.
model::User new_user(const std::string& name, json::Object claims);

/// Puts one `--claim name=text` into `claims`, converted to the claim's type: true/false for the *_verified claims,
/// digits for updated_at. Throws UsageError without "=", Refused for a value that the claim cannot have.
void set_text_claim(json::Object& claims, std::string_view assignment);

/// Puts every member of `given` into `claims`. Throws Refused for a name or value that cannot be a claim.
void set_claims(json::Object& claims, const json::Object& given);

/// Adds `email_verified`, true, to claims that have an `email` and do not say whether it is verified.
void set_email_verified(json::Object& claims);

/// The help of --email-verified.
inline constexpr const char* kEmailVerifiedHelp =
    "Set email_verified to true for a user who has an email and no email_verified; applications may rely on it";

struct ClaimOptions {
    bool from_stdin = false;
    std::vector<std::string> texts;
};

/// Adds the options --claims-stdin and --claim.
void add_claim_options(const Command& command, ClaimOptions& claims);

/// Returns the claims given; single claims come last, so they win. Throws UsageError and Refused as set_text_claim and
/// set_claims.
json::Object read_claims(const oauth::Settings& settings, const ClaimOptions& options);

/// Prints a note that names those of `claims` that no scope releases: they are kept, and applications do not learn
/// them.
void note_unreleased_claims(const oauth::Settings& settings, const json::Object& claims);

}  // namespace postern::cli
