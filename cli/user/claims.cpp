// Decides which names and claims a user may have: not the names of the protocol, and each claim with the right type.
#include "cli/user/claims.h"

#include <algorithm>
#include <vector>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "crypto/random.h"
#include "model/claim_names.h"
#include "model/group.h"
#include "model/standard_claims.h"
#include "model/user.h"
#include "util/text.h"
#include "util/visible.h"

namespace postern::cli {
namespace {

using model::StandardClaim;

/// A scalar, or a list of texts (groups, roles).
bool is_custom(const json::Value& value) {
    if (const json::Array* array = value.if_array()) {
        return std::ranges::all_of(*array, [](const json::Value& entry) { return model::is_claim_text(entry); });
    }
    return model::is_claim_text(value) || value.if_bool() || value.if_integer() || value.if_number();
}

const StandardClaim kCustom = {
    "", "", is_custom,
    "text of 1 to 4096 bytes without control characters, a number, true, false, or a list of such texts"};

const StandardClaim& shape_of(std::string_view name) {
    const StandardClaim* shape = model::find_standard_claim(name);
    return shape ? *shape : kCustom;
}

void check_name(const std::string& name) {
    if (!model::is_claim_name(name)) {
        throw Refused(
            "claim \"" + name +
            "\": the name must be 1 to 64 printable ASCII characters without space, quotation mark and backslash");
    }
    if (name == model::kGroups)
        throw Refused(
            "claim \"groups\" is made of the user's memberships: --group, `postern group member add`, or \"groups\" "
            "in a line of an import");
    if (model::is_protocol_claim(name)) {
        throw Refused("claim " + in_quotes(name) + " is set by the server itself; choose another name");
    }
}

void set_claim(json::Object& claims, const std::string& name, json::Value value) {
    check_name(name);
    const StandardClaim& shape = shape_of(name);
    if (!shape.fits(value)) throw Refused("claim " + in_quotes(name) + " must be " + shape.wanted);
    claims.set(name, std::move(value));
}

}  // namespace

void require_username(const std::string& name) {
    if (model::is_new_user_name(name)) return;
    if (model::is_user_name(name))
        throw Refused(
            "the user name has an invisible character, such as U+200B or U+FEFF, or begins or ends with white space "
            "other than a space; remove it");
    if (model::is_user_name(util::trim(name))) throw Refused("the user name begins or ends with a space; remove it");
    throw Refused("the user name must be 1 to 128 bytes of UTF-8 text without control and direction characters");
}

model::User new_user(const std::string& name, json::Object claims) {
    crypto::SystemRandom random;
    model::User user;
    user.subject = model::Subject(crypto::random_id(random));
    user.username = name;
    user.claims = std::move(claims);
    user.created_at = user.updated_at = now();
    return user;
}

void set_text_claim(json::Object& claims, std::string_view assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0)
        throw UsageError("--claim must be NAME=TEXT, for example --claim email=ada@example.org");
    const std::string_view name = assignment.substr(0, equals);
    set_claim(claims, std::string(name), model::typed_claim(name, util::trim_invisible(assignment.substr(equals + 1))));
}

void set_claims(json::Object& claims, const json::Object& given) {
    for (const auto& [name, value] : given.members()) set_claim(claims, name, value);
}

void set_email_verified(json::Object& claims) {
    if (claims.find("email") && !claims.find("email_verified")) claims.set("email_verified", true);
}

void note_unreleased_claims(const oauth::Settings& settings, const json::Object& claims) {
    std::vector<std::string> names;
    for (const auto& member : claims.members()) {
        if (!settings.released_claims.contains(member.first)) names.push_back(member.first);
    }
    if (!names.empty())
        print_note(
            "stored, but no scope releases: " + join(names, ", ") +
            " (scopeClaims in the configuration names a scope for a claim, `postern client claim add` tells it to "
            "one client)");
}

void add_claim_options(const Command& command, ClaimOptions& claims) {
    command.flag(
        "--claims-stdin", claims.from_stdin,
        "Read claims as one JSON object from standard input, after the line with the password if that is read too");
    command.option("--claim", "NAME=TEXT", claims.texts,
                   "One claim as text, for example email=ada@example.org; repeatable. Claims of OpenID Connect Core "
                   "5.1 have their type (email_verified=true, updated_at=1700000000)");
}

json::Object read_claims(const oauth::Settings& settings, const ClaimOptions& options) {
    json::Object claims;
    if (options.from_stdin) set_claims(claims, read_json_object("claims"));
    for (const std::string& text : options.texts) set_text_claim(claims, text);
    note_unreleased_claims(settings, claims);
    return claims;
}

}  // namespace postern::cli
