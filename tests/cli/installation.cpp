// Makes installations for the tests of the command.
#include "installation.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>

#include "json/reader.h"
#include "json/writer.h"
#include "support/preload.h"
#include "util/text.h"

namespace postern::test {
namespace fs = std::filesystem;

namespace {

fs::path build_path() {
    const char* build = std::getenv("POSTERN_BUILD");
    return fs::absolute(build != nullptr && *build != '\0' ? build : "build");
}

/// Keeps the command's lines to syslog away from the machine's log.
std::string own_syslog() { return (build_path() / "tests" / "fake_clock_preload.so").string(); }

}  // namespace

std::string postern_program() { return (build_path() / "bin" / "postern").string(); }

namespace {

/// Returns an installation on which `init` has run, made once: a key of 2048 bits takes a while.
const Installation& model_installation() {
    static const Installation model(Installation::Start::configured);
    static const std::string made = model.must({"init"});
    return model;
}

/// With modes and log files.
void copy_model(const fs::path& to) {
    const auto copied = run({"/bin/cp", "-a", model_installation().directory().string() + "/.", to.string()},
                            {{"PATH", "/usr/bin:/bin"}});
    REQUIRE(copied.exit_code == 0);
}

}  // namespace

Installation::Installation(Start start, const json::Object& config) {
    std::string name = (fs::temp_directory_path() / "postern-cli-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    directory_ = name;
    const bool is_copy = start == Start::initialised && config.empty();
    if (is_copy) copy_model(directory_);
    if (!is_on_postgresql())
        database_ = database_file().string();
    else
        database_ = is_copy ? copy_.emplace(model_installation().database()).uri() : new_database();
    json::Object members = least_config();
    members.set("templates", (fs::current_path() / "templates").string());
    members.set("oidc", json::Object{{"userClaims", "database"}});
    for (const auto& [key, value] : config.members()) members.set(key, value);
    write_config(members);
    if (start == Start::initialised && !is_copy) must({"init"});
}

Installation::~Installation() {
    if (!secrets_.empty() && std::uncaught_exceptions() == 0) {
        check_no_secrets(secrets_, diagnostics_, "standard error");
        for (const fs::path& directory : {directory_ / "data", keys_directory()})
            check_no_secrets_below(secrets_, directory);
        std::ifstream log(syslog_file());
        check_no_secrets(secrets_, std::string(std::istreambuf_iterator<char>(log), {}), "syslog");
    }
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
    fs::remove(syslog_file(), ignored);
}

json::Object Installation::least_config() const {
    json::Object members{
        {"issuer", "https://id.example.org"}, {"database", database_}, {"keys", keys_directory().string()}};
    if (is_on_postgresql()) members.set("state", database_file().parent_path().string());
    return members;
}

void Installation::write_config(const json::Object& members) const {
    std::ofstream(config_file()) << json::write_pretty(members);
}

void Installation::reconfigure(const std::string& member, json::Value value) const {
    std::ifstream file(config_file());
    auto config = json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
    REQUIRE(config);
    REQUIRE(config->if_object());
    json::Object members = *config->if_object();
    members.set(member, std::move(value));
    write_config(members);
}

ProcessResult Installation::postern(const Words& arguments, const std::string& input) const {
    std::map<std::string, std::string> environment = {{"PATH", "/usr/bin:/bin"},
                                                      {"POSTERN_CONFIG", config_file().string()},
                                                      {"POSTERN_TEST_SYSLOG", syslog_file().string()}};
    preload(environment, own_syslog());
    ProcessResult result = run(joined({postern_program()}, arguments), environment, input);
    REQUIRE(result.exit_code != kTimedOut);
    secrets_.learn_command(input, result.out);
    diagnostics_ += result.err;
    return result;
}

std::string Installation::must(const Words& arguments, const std::string& input) const {
    const ProcessResult result = postern(arguments, input);
    CAPTURE(arguments.front());
    CAPTURE(arguments.back());
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    for (const std::string_view line : util::split(result.err, '\n'))
        CHECK((line.empty() || line.starts_with("note: ")));
    return result.out;
}

std::string Installation::noted(const Words& arguments, const std::string& input) const {
    ProcessResult result = postern(arguments, input);
    CAPTURE(arguments.back());
    CHECK(result.exit_code == 0);
    return std::move(result.err);
}

std::string Installation::refused(const Words& arguments, const std::string& input) const {
    const ProcessResult result = postern(arguments, input);
    CAPTURE(arguments.size());
    if (!arguments.empty()) CAPTURE(arguments.back());
    CAPTURE(result.err);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    CHECK(is_one_plain_line(result.err));
    return result.err;
}

json::Value Installation::must_json(Words arguments, const std::string& input) const {
    arguments.emplace_back("--json");
    auto value = json::parse(must(arguments, input));
    REQUIRE(value);
    return *std::move(value);
}

std::string Installation::findings(std::string_view check) const {
    const ProcessResult result = postern({"doctor", "--json"});
    CAPTURE(result.err);
    const auto all = json::parse(result.out);
    REQUIRE(all);
    std::string lines;
    for (const json::Value& finding : *all->if_array())
        if (text_of(finding, "check") == check)
            lines +=
                text_of(finding, "state") + ": " + text_of(finding, "detail") + " | " + text_of(finding, "fix") + "\n";
    return lines;
}

std::vector<fs::path> Installation::private_keys(std::string_view beginning) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(keys_directory())) {
        const std::string name = entry.path().filename();
        if (name.ends_with(".pem") && name.starts_with(beginning)) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

Words joined(Words first, const Words& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

const json::Value& member_of(const json::Value& value, std::string_view member) {
    CAPTURE(member);
    REQUIRE(value.if_object() != nullptr);
    const json::Value* found = value.if_object()->find(member);
    REQUIRE(found != nullptr);
    return *found;
}

std::string text_of(const json::Value& value, std::string_view member) {
    const json::Value* found = value.if_object() ? value.if_object()->find(member) : nullptr;
    return found && found->if_string() ? *found->if_string() : "";
}

std::int64_t integer_of(const json::Value& value, std::string_view member) {
    const std::int64_t* found = member_of(value, member).if_integer();
    REQUIRE(found != nullptr);
    return *found;
}

bool flag_of(const json::Value& value, std::string_view member) {
    const bool* found = member_of(value, member).if_bool();
    REQUIRE(found != nullptr);
    return *found;
}

std::string words_of(const json::Value& value, std::string_view member) {
    const json::Array* array = member_of(value, member).if_array();
    REQUIRE(array != nullptr);
    std::string words;
    for (const json::Value& entry : *array) {
        REQUIRE(entry.if_string() != nullptr);
        words += (words.empty() ? "" : " ") + *entry.if_string();
    }
    return words;
}

bool is_one_plain_line(const std::string& text) {
    return text.starts_with("postern: ") && text.size() > 20 && text.find('\n') == text.size() - 1 &&
           !util::has_control_bytes(std::string_view(text).substr(0, text.size() - 1));
}

unsigned mode_of(const fs::path& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777U;
}

}  // namespace postern::test
