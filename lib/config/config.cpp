// The configuration file: read once, strictly, all problems at once, then constant.
#include "config/config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "config/keys.h"
#include "crypto/digest.h"
#include "db/database.h"
#include "json/reader.h"
#include "os/read_file.h"
#include "text/languages.h"

#ifndef POSTERN_TEMPLATES
#define POSTERN_TEMPLATES "/usr/local/share/postern/templates"
#endif
#ifndef POSTERN_FETCH
#define POSTERN_FETCH "/usr/local/libexec/postern/fetch"
#endif

namespace postern::config {
namespace {

constexpr json::Limits kFileLimits{.bytes = 262144, .depth = 16, .nodes = 8192};

std::string_view last_part(std::string_view key) {
    const auto dot = key.rfind('.');
    return dot == key.npos ? key : key.substr(dot + 1);
}

/// Prefers keys of the same object: there the slip is most likely.
std::optional<std::string> nearest_key(const std::string& group, std::string_view name) {
    std::vector<std::string> siblings;
    std::vector<std::string> others;
    for (const ConfigKey& key : config_keys()) {
        const std::string full(key.name);
        const std::string top = key.name.substr(0, key.name.find('.'));
        if (full == group + std::string(last_part(full))) siblings.emplace_back(last_part(full));
        if (group.empty() && top != key.name) siblings.emplace_back(top);
        others.emplace_back(last_part(full));
    }
    if (const auto near = nearest(name, siblings)) return group + *near;
    const auto elsewhere = nearest(name, others);
    if (!elsewhere) return std::nullopt;
    for (const ConfigKey& key : config_keys()) {
        if (last_part(key.name) == *elsewhere) return std::string(key.name);
    }
    return std::nullopt;
}

ConfigProblem unknown_key(const std::string& group, const std::string& name) {
    const auto near = nearest_key(group, name);
    return {group + name, "is not a known key" + (near ? " (did you mean \"" + *near + "\"?)" : std::string())};
}

bool is_group(const std::string& name) {
    return std::ranges::any_of(config_keys(), [&](const ConfigKey& key) { return key.name.starts_with(name + "."); });
}

/// Reads one object of the file; `group` is "" or "login." and so on.
void read_object(Config& config, const std::string& group, const json::Object& object, Problems& problems) {
    const auto& keys = config_keys();
    for (const auto& [name, value] : object.members()) {
        const std::string full = group + name;
        const auto row = std::ranges::find(keys, full, &ConfigKey::name);
        // A dot inside a member name is not a step into an object.
        if (row != keys.end() && name.find('.') == name.npos) {
            for (const ConfigProblem& problem : row->apply(config, value))
                problems.push_back({full + problem.key, problem.reason});
        } else if (!group.empty() || !is_group(name)) {
            problems.push_back(unknown_key(group, name));
        } else if (value.if_object() == nullptr) {
            problems.push_back({name, "must be an object"});
        } else {
            read_object(config, name + ".", *value.if_object(), problems);
        }
    }
}

/// Two forms of the same setting would leave open which of them counts.
void check_forms(const json::Object& root, Problems& problems) {
    constexpr std::pair<const char*, const char*> kForms[] = {{"implicit", "responseTypes"},
                                                              {"idTokenAlgorithm", "idTokenAlgorithms"}};
    for (const auto& [narrow, wide] : kForms)
        if (root.find(narrow) != nullptr && root.find(wide) != nullptr)
            problems.push_back({wide, std::string("says the same as \"") + narrow + "\": leave that out"});
}

/// The lock files lie beside a database file, whose processes share them.
std::string slot_files(const Config& config) {
    return db::is_uri(config.database) ? config.state_directory() + "/postern" : config.database;
}

std::string read_configuration_file(const std::string& path) {
    auto text = os::read_file(path, {.bytes = kFileLimits.bytes, .links = os::Links::followed});
    if (text) return std::move(*text);
    throw ConfigError(path + ": " + text.error().meaning() +
                      "; name another file in POSTERN_CONFIG or make this one readable");
}

}  // namespace

std::string Config::state_directory() const {
    if (!state.empty()) return state;
    const std::string file = db::is_uri(database) ? Config().database : database;
    return std::filesystem::path(file).parent_path();
}

std::vector<std::string> Config::offered_languages() const {
    return text::Languages(templates, settings.languages, settings.language).tags();
}

std::string Config::hash_slot_files() const { return slot_files(*this) + ".hash"; }
std::string Config::fetch_slot_files() const { return slot_files(*this) + ".fetch"; }

std::string Config::replay_file(store::ReplayKind kind) const {
    const std::string directory = state_directory() + "/replays/";
    switch (kind) {
        case store::ReplayKind::proof:
            return directory + "proofs";
        case store::ReplayKind::proof_at_userinfo:
            return directory + "userinfo";
        case store::ReplayKind::assertion:
            break;
    }
    return directory + "assertions";
}

util::Result<Config, Problems> parse_config(std::string_view text) {
    const auto parsed = json::parse(text, json::Dialect::relaxed, kFileLimits);
    if (!parsed) {
        const json::ParseError& error = parsed.error();
        return Problems{{"", "line " + std::to_string(error.line) + ", column " + std::to_string(error.column) + ": " +
                                 error.reason}};
    }
    const json::Object* root = parsed->if_object();
    if (root == nullptr) return Problems{{"", "must hold one JSON object"}};

    Config config;
    config.templates = POSTERN_TEMPLATES;
    config.settings.outbound.program = POSTERN_FETCH;
    config.settings.oidc = root->find("oidc") != nullptr;
    Problems problems;
    read_object(config, "", *root, problems);
    if (root->find("issuer") == nullptr) {
        problems.push_back({"issuer", "is required: the URL of this server, such as https://id.example.org"});
    }
    check_forms(*root, problems);
    check_contradictions(config, problems);
    config.settings.login.hash_slot_files = config.hash_slot_files();
    config.settings.outbound.slot_files = config.fetch_slot_files();
    if (!problems.empty()) return problems;
    config.settings.cookie_tag = crypto::sha256_hex(config.settings.issuer).substr(0, 8);
    config.warnings = warnings_of(config);
    return config;
}

Config load_config(const std::string& path) {
    auto config = parse_config(read_configuration_file(path));
    if (config) return std::move(*config);
    std::string message = path + ": the configuration cannot be used; correct the following and start again";
    for (const ConfigProblem& problem : config.error()) {
        message += "\n  " + (problem.key.empty() ? std::string() : problem.key + " ") + problem.reason;
    }
    throw ConfigError(message, config.error());
}

std::string configured_log_target(const std::string& path) noexcept {
    Config config;
    try {
        const auto parsed = json::parse(read_configuration_file(path), json::Dialect::relaxed, kFileLimits);
        const json::Object* root = parsed ? parsed->if_object() : nullptr;
        const json::Value* log = root ? root->find("log") : nullptr;
        Problems ignored;
        if (log && log->if_object()) read_object(config, "log.", *log->if_object(), ignored);
    } catch (const std::exception&) {  // the start has said why
    }
    return config.log_target;
}

std::string default_config_path() {
    const char* given = std::getenv("POSTERN_CONFIG");
    return given == nullptr || *given == '\0' ? "/etc/postern/postern.json" : given;
}

}  // namespace postern::config
