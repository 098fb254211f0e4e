// Decides what a line of a file of users means, and which lines cannot become users.
#include "cli/user/import_line.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/user/claims.h"
#include "cli/user/rules.h"
#include "crypto/imported_hash.h"
#include "json/reader.h"
#include "util/text.h"

namespace postern::cli {
namespace {

std::string accepted_hash(std::string_view text) {
    auto hash = crypto::parse_imported_hash(util::trim(text));
    if (!hash) throw Refused(hash.error());
    return hash->text;
}

/// Text after a second colon belongs to other programs: shadow(5) has dates there, and Apache ignores it.
void parse_htpasswd(std::string_view line, ImportedUser& user) {
    const auto parts = util::split(line, ':');
    if (parts.size() < 2) throw Refused("this is not `name:hash`; a plain password goes into a JSON line");
    user.username = parts[0];
    require_username(user.username);
    user.password_hash = accepted_hash(parts[1]);
}

const std::string& text_in(const std::string& name, const json::Value& value) {
    if (!value.if_string()) throw Refused(in_quotes(name) + " must be text");
    return *value.if_string();
}

void take_username(ImportedUser&, const std::string&, const json::Value&) {}  // read before all others

void take_hash(ImportedUser& user, const std::string& name, const json::Value& value) {
    user.password_hash = accepted_hash(text_in(name, value));
}

void take_password(ImportedUser& user, const std::string& name, const json::Value& value) {
    const std::string& password = text_in(name, value);
    if (const char* problem = password_problem(password)) throw Refused(problem);
    user.password.emplace(password);
}

void take_claims(ImportedUser& user, const std::string& name, const json::Value& value) {
    if (!value.if_object()) throw Refused(in_quotes(name) + " must be an object");
    user.claims.emplace();
    set_claims(*user.claims, *value.if_object());
}

void take_enabled(ImportedUser& user, const std::string& name, const json::Value& value) {
    if (!value.if_bool()) throw Refused(in_quotes(name) + " must be true or false");
    user.enabled = *value.if_bool();
}

void take_groups(ImportedUser& user, const std::string& name, const json::Value& value) {
    const json::Array* names = value.if_array();
    if (!names || !std::ranges::all_of(*names, [](const json::Value& each) { return each.if_string(); }))
        throw Refused(in_quotes(name) + " must be a list of names of groups");
    user.groups.emplace();
    for (const json::Value& each : *names) user.groups->push_back(*each.if_string());
}

struct Member {
    std::string_view name;
    void (*take)(ImportedUser&, const std::string& name, const json::Value&);
};

constexpr Member kMembers[] = {
    {"username", take_username}, {"password_hash", take_hash}, {"password", take_password},
    {"claims", take_claims},     {"enabled", take_enabled},    {"groups", take_groups},
};

void take(ImportedUser& user, const std::string& name, const json::Value& value) {
    const auto* member = std::ranges::find(kMembers, name, &Member::name);
    if (member == std::end(kMembers)) {
        throw Refused(in_quotes(name) +
                      " is not a member of a user: username, password_hash or password, claims, enabled, groups");
    }
    member->take(user, name, value);
}

const json::Object& require_object(const util::Result<json::Value, json::ParseError>& parsed) {
    if (!parsed)
        throw Refused("this is not JSON: " + parsed.error().reason + " (column " +
                      std::to_string(parsed.error().column) + ")");
    if (!parsed->if_object()) throw Refused("each line must be one JSON object, like {\"username\": \"ada\"}");
    return *parsed->if_object();
}

void parse_json(std::string_view line, ImportedUser& user) {
    const auto parsed = json::parse(line);
    const json::Object& object = require_object(parsed);
    const json::Value* name = object.find("username");
    if (!name) throw Refused("\"username\" is missing");
    user.username = text_in("username", *name);
    require_username(user.username);
    for (const auto& [key, value] : object.members()) take(user, key, value);
    if (user.password && user.password_hash) throw Refused("there are both a password and a hash; give one of them");
}

}  // namespace

ImportFormat format_of(std::string_view line) {
    const auto text = util::trim(line);
    // An array counts as JSON too, so that the error message of its first line says what is expected.
    return text.starts_with('{') || text.starts_with('[') ? ImportFormat::json_lines : ImportFormat::htpasswd;
}

bool is_blank_line(ImportFormat format, std::string_view line) {
    const auto text = util::trim(line);
    return text.empty() || (format == ImportFormat::htpasswd && text.front() == '#');
}

void parse_import_line(ImportFormat format, std::string_view line, ImportedUser& user) {
    if (format == ImportFormat::json_lines) return parse_json(line, user);
    parse_htpasswd(line, user);
}

}  // namespace postern::cli
