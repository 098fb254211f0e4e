// Decides which claims a user may have: not the names of the protocol, and each with the right type.
#include "cli/user/claims.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "cli/command.h"
#include "cli/output.h"
#include "model/claim_shape.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using model::ClaimShape;

constexpr std::size_t kMaxNameBytes = 64;

/// A scalar, or a list of texts (groups, roles).
bool is_custom(const json::Value& value) {
    if (const json::Array* array = value.if_array()) {
        return std::ranges::all_of(*array, [](const json::Value& entry) { return model::is_claim_text(entry); });
    }
    return model::is_claim_text(value) || value.if_bool() || value.if_integer() || value.if_number();
}

const ClaimShape kCustom = {
    "", is_custom,
    "text of 1 to 4096 bytes without control characters, a number, true, false, or a list of such texts"};

// Set by the server in tokens and answers (RFC 7519 §4.1, RFC 7662 §2.2, RFC 8693, OpenID Connect Core §2): a user's
// attribute of that name could be mistaken for a statement of the server.
constexpr std::array<std::string_view, 27> kProtocol = {
    "sub",       "iss",   "aud",        "exp",    "nbf",      "iat",    "jti",     "typ",    "nonce",
    "auth_time", "acr",   "amr",        "azp",    "at_hash",  "c_hash", "s_hash",  "sid",    "cid",
    "client_id", "scope", "token_type", "active", "username", "act",    "may_act", "events", "cnf"};

const ClaimShape& shape_of(std::string_view name) {
    const ClaimShape* shape = model::find_claim_shape(name);
    return shape ? *shape : kCustom;
}

void check_name(const std::string& name) {
    if (name.empty() || name.size() > kMaxNameBytes || !util::is_vschar(name) ||
        name.find_first_of(" \"\\") != std::string::npos) {
        throw Refused(
            "claim \"" + name +
            "\": the name must be 1 to 64 printable ASCII characters without space, quotation mark and backslash");
    }
    if (std::ranges::find(kProtocol, name) != kProtocol.end()) {
        throw Refused("claim " + in_quotes(name) + " is set by the server itself; choose another name");
    }
}

void set_claim(json::Object& claims, const std::string& name, json::Value value) {
    check_name(name);
    const ClaimShape& shape = shape_of(name);
    if (!shape.fits(value)) throw Refused("claim " + in_quotes(name) + " must be " + shape.wanted);
    claims.set(name, std::move(value));
}

}  // namespace

void set_text_claim(json::Object& claims, std::string_view assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0)
        throw UsageError("--claim must be NAME=TEXT, for example --claim email=ada@example.org");
    const std::string_view name = assignment.substr(0, equals);
    set_claim(claims, std::string(name), model::typed_claim(name, assignment.substr(equals + 1)));
}

void set_claims(json::Object& claims, const json::Object& given) {
    for (const auto& [name, value] : given.members()) set_claim(claims, name, value);
}

void note_custom_claims(const json::Object& claims) {
    std::vector<std::string> names;
    for (const auto& member : claims.members()) {
        if (!model::find_claim_shape(member.first)) names.push_back(member.first);
    }
    if (!names.empty()) print_note("stored, but no scope of OpenID Connect releases: " + join(names, ", "));
}

}  // namespace postern::cli
