// Makes installations and runs the programs under test.
#include "support/deployment.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <sstream>

#include "db/database.h"
#include "http/url.h"
#include "json/writer.h"
#include "oauth/endpoints.h"
#include "support/database.h"
#include "support/preload.h"

namespace postern::test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kInstalled = 1767225600;  // 2026-01-01T00:00:00Z
constexpr std::int64_t kDay = 86400;             // so that a clock can go back behind the tests but not behind the keys

fs::path make_temporary_directory() {
    std::string name = (fs::temp_directory_path() / "postern-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    return name;
}

ProcessResult execute(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
                      const std::string& input) {
    const ProcessResult result = run(argv, environment, input);
    REQUIRE_MESSAGE(result.exit_code != kTimedOut, "timed out: " << argv.front());
    return result;
}

void copy_tree(const fs::path& from, const fs::path& to) {
    const auto copied = execute({"/bin/cp", "-a", from.string() + "/.", to.string()}, {{"PATH", "/usr/bin:/bin"}}, "");
    REQUIRE(copied.exit_code == 0);
}

/// One installation with everybody in it, made once per test binary: hashing passwords and making keys takes time.
const Deployment& model_deployment() {
    static const Deployment model(Deployment::Options{"https://op.example", {{"model", true}}});
    return model;
}

std::string header_variable(const std::string& name) {
    std::string variable = "HTTP_";
    for (const char c : name)
        variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return variable;
}

}  // namespace

CgiRequest get_request(const std::string& query) {
    CgiRequest request;
    request.query = query;
    return request;
}

CgiRequest post_form(const std::string& body) {
    CgiRequest request;
    request.method = "POST";
    request.content_type = "application/x-www-form-urlencoded";
    request.body = body;
    return request;
}

std::string secret_of(const std::string& client) { return client + kSecretTail; }

fs::path source_directory() { return fs::current_path(); }

fs::path build_directory() {
    const char* given = std::getenv("POSTERN_BUILD");
    return fs::absolute(given != nullptr && *given != '\0' ? given : "build");
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void write_file(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    REQUIRE(file.flush());
}

Deployment::Deployment(const Options& options)
    : directory_(make_temporary_directory()),
      database_(database_file().string()),
      issuer_(options.issuer),
      now_(kInstalled) {
    config_ = json::Object{{"issuer", issuer_},
                           {"database", database_},
                           {"keys", keys_directory().string()},
                           {"templates", (source_directory() / "templates").string()},
                           {"oidc", json::Object{{"userClaims", "database"}}}};
    for (const auto& [name, value] : options.config.members()) config_.set(name, value);
    is_model_ = config_.find("model") != nullptr;
    const bool own_keys =
        config_.find("accessTokenAlgorithm") || config_.find("idTokenAlgorithm") || config_.find("idTokenAlgorithms");
    config_.erase("model");
    if (!is_model_ && !own_keys) copy_tree(model_deployment().directory(), directory_);
    if (is_on_postgresql()) {
        if (is_model_ || own_keys)
            database_ = new_database();
        else
            database_ = copy_.emplace(model_deployment().database()).uri();
        config_.set("database", database_);
        config_.set("state", database_file().parent_path().string());
    }
    write_config(json::write_pretty(config_));
    if (is_model_ || own_keys) {
        must({"init"});
        register_cast();
    }
    if (is_on_postgresql()) set_optional_rights(database_, config_);
    now_ += kDay;
    for (const char* client : {kWeb, kOther, kTrusted, kStrict, kMany, kMachine})
        secrets_.remember("client secret", secret_of(client));
    for (const char* password : {kAlicePassword, kBobPassword}) secrets_.remember("password", password);
}

Deployment::~Deployment() {
    std::error_code ignored;
    fs::permissions(directory_, fs::perms::owner_all, ignored);
    // The model goes when the tests are over; of a test that has failed already there is nothing to say.
    if (!is_model_ && std::uncaught_exceptions() == 0) look_for_secrets();
    fs::remove_all(directory_, ignored);
}

void Deployment::look_for_secrets() const {
    check_no_secrets(secrets_, diagnostics_, "standard error");
    for (const fs::path& directory : {database_file().parent_path(), keys_directory()})
        check_no_secrets_below(secrets_, directory);
    if (is_on_postgresql()) check_no_secrets(secrets_, stored(), "the database");
    std::vector<fs::path> logs = {directory_ / "syslog"};
    if (const json::Value* log = config_.find("log"); log && log->if_object())
        logs.emplace_back(text_of(*log->if_object(), "target"));
    for (const fs::path& log : logs) {
        std::error_code none;
        if (fs::is_regular_file(log, none)) check_no_secrets(secrets_, read_file(log), log.filename().string());
    }
}

void Deployment::register_cast() const {
    struct Row {
        const char* id;
        std::vector<std::string> options;
    };
    const std::vector<Row> clients = {
        {kWeb,
         {"--name", "Web Application", "--redirect-uri", "https://app.example/cb", "--scope",
          "openid profile email address phone api"}},
        {kOther, {"--redirect-uri", "https://other.example/cb"}},
        {kSpa, {"--public", "--redirect-uri", "https://spa.example/cb"}},
        {kNative,
         {"--public", "--native", "--redirect-uri", "http://127.0.0.1/cb", "--redirect-uri", "com.example.app:/cb"}},
        {kTrusted, {"--first-party", "--redirect-uri", "https://trusted.example/cb"}},
        {kStrict, {"--pkce", "required", "--redirect-uri", "https://strict.example/cb"}},
        {kMany, {"--redirect-uri", "https://many.example/a", "--redirect-uri", "https://many.example/b?x=1"}},
        {kMachine, {"--grant", "client_credentials", "--scope", "api"}},
    };
    for (const Row& row : clients) {
        // As OpenID Connect Core §5.4 has it; tests/cli/client_test.cpp has the default.
        std::vector<std::string> arguments = {"client", "add", row.id, "--no-id-token-claims"};
        arguments.insert(arguments.end(), row.options.begin(), row.options.end());
        const bool is_public = row.options.front() == "--public";
        if (!is_public) arguments.emplace_back("--secret-stdin");
        must(arguments, is_public ? "" : secret_of(row.id) + "\n");
    }
    must(
        {"user", "add", kAlice, "--password-stdin", "--claims-stdin"},
        std::string(kAlicePassword) +
            "\n{\"name\":\"Alice "
            "Example\",\"given_name\":\"Alice\",\"email\":\"alice@op.example\",\"email_verified\":true,"
            "\"phone_number\":\"+1 555 0100\",\"address\":{\"locality\":\"Springfield\"},\"updated_at\":1700000000}\n");
    must({"user", "add", kBob, "--password-stdin"}, std::string(kBobPassword) + "\n");
}

std::map<std::string, std::string> Deployment::common_environment() const {
    std::map<std::string, std::string> environment = {
        {"PATH", "/usr/bin:/bin"},
        {"TZ", "UTC"},
        {"POSTERN_CONFIG", config_file().string()},
        {"POSTERN_TEST_CLOCK", std::to_string(now_)},
        {"POSTERN_TEST_SYSLOG", (directory_ / "syslog").string()},
    };
    preload(environment, build_directory() / "tests" / "fake_clock_preload.so");
    if (const char* ubsan = std::getenv("UBSAN_OPTIONS")) environment["UBSAN_OPTIONS"] = ubsan;
    return environment;
}

Answer Deployment::cgi(const std::string& endpoint, const CgiRequest& request) const {
    const std::string path = request.path.value_or(base_path() + path_of(endpoint));
    auto environment = common_environment();
    environment.insert({{"GATEWAY_INTERFACE", "CGI/1.1"},
                        {"SERVER_PROTOCOL", "HTTP/1.1"},
                        {"SERVER_SOFTWARE", "test"},
                        {"SERVER_NAME", "op.example"},
                        {"SERVER_PORT", "443"},
                        {"HTTPS", "on"},
                        {"REMOTE_ADDR", request.address},
                        {"REQUEST_METHOD", request.method},
                        {"REQUEST_URI", path + (request.query.empty() ? "" : "?" + request.query)},
                        {"SCRIPT_NAME", path},
                        {"PATH_INFO", ""},
                        {"QUERY_STRING", request.query},
                        {"HTTP_HOST", "op.example"}});
    if (!request.body.empty() || request.method == "POST")
        environment["CONTENT_LENGTH"] = std::to_string(request.body.size());
    if (!request.content_type.empty()) environment["CONTENT_TYPE"] = request.content_type;
    for (const auto& [name, value] : request.headers) environment[header_variable(name)] = value;
    for (const auto& [name, value] : request.variables) {
        if (value)
            environment[name] = *value;
        else
            environment.erase(name);
    }
    std::vector<std::string> argv;
    if (request.obeys_modes && ::geteuid() == 0)
        argv.insert(argv.end(), {"/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search"});
    argv.push_back(request.program.value_or(build_directory() / "cgi-bin" / endpoint).string());
    argv.insert(argv.end(), request.arguments.begin(), request.arguments.end());
    const ProcessResult result = start(argv, environment, request.body);
    Answer answer = parse_answer(result.out);
    answer.exit_code = result.exit_code;
    answer.log = result.err;
    const std::lock_guard remembering(remembering_);
    secrets_.learn(request);
    secrets_.learn(answer);
    diagnostics_ += result.err;
    if (answer.status >= 400) {
        auto told = secrets_.found_in(answer.body);
        for (const char* own : {"form token", "sealed request", "sealed challenge"})
            told.erase(own);  // what forms need
        for (const std::string& kind : told)
            ADD_FAIL_CHECK_AT(__FILE__, __LINE__, kind << " in an error of " << endpoint);
    }
    return answer;
}

ProcessResult Deployment::start(const std::vector<std::string>& argv,
                                const std::map<std::string, std::string>& environment, const std::string& input) const {
    return runner_ ? runner_(argv, environment, input) : execute(argv, environment, input);
}

CommandResult Deployment::postern(const std::vector<std::string>& arguments, const std::string& input) const {
    std::vector<std::string> argv = {(build_directory() / "bin" / "postern").string()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const ProcessResult result = start(argv, common_environment(), input);
    const std::lock_guard remembering(remembering_);
    secrets_.learn_command(input, result.out);
    diagnostics_ += result.err;
    return {result.exit_code, result.out, result.err};
}

std::string Deployment::must(const std::vector<std::string>& arguments, const std::string& input) const {
    const CommandResult result = postern(arguments, input);
    REQUIRE_MESSAGE(result.exit_code == 0, "postern " << arguments.front() << ": " << result.err);
    return result.out;
}

std::string Deployment::base_path() const {
    const auto parts = http::parse_url(issuer_);
    REQUIRE(parts.has_value());
    return parts->path == "/" ? "" : parts->path;
}

std::string Deployment::path_of(const std::string& endpoint) const {
    if (endpoint == "recover") return own_path_of(endpoint) + "/link";  // the page that is always there
    return own_path_of(endpoint);
}

std::string Deployment::own_path_of(const std::string& endpoint) const {
    if (const json::Value* paths = config_.find("paths"); paths && paths->if_object())
        if (const std::string renamed = text_of(*paths->if_object(), endpoint); !renamed.empty()) return renamed;
    const auto declared = std::ranges::find(oauth::endpoint::kDeclared, endpoint, &oauth::endpoint::Declaration::name);
    REQUIRE(declared != std::end(oauth::endpoint::kDeclared));
    return std::string(declared->path);
}

std::string Deployment::url(const std::string& endpoint) const { return issuer_ + path_of(endpoint); }

void Deployment::write_config(const std::string& text) const { write_file(config_file(), text); }

void Deployment::configure(const std::string& member, json::Value value) {
    config_.set(member, std::move(value));
    write_config(json::write_pretty(config_));
    if (is_on_postgresql()) set_optional_rights(database_, config_);
}

std::string Deployment::stored() const {
    if (!is_on_postgresql()) return read_file(database_file()) + read_file(database_file().string() + "-wal");
    std::string bytes;
    db::Database database(database_, db::Access::query_only);
    std::vector<std::string> selections;  // a statement is kept by the address of its text
    {
        auto tables = database.prepare(
            "SELECT 'SELECT row_text FROM (SELECT t::text AS row_text FROM ' || table_name || ' t) r ORDER BY row_text'"
            " FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY table_name");
        while (tables.step()) selections.push_back(tables.text(0));
    }
    for (const std::string& selection : selections) {
        auto rows = database.prepare(selection.c_str());
        while (rows.step()) bytes += rows.text(0) + "\n";
    }
    REQUIRE_FALSE(bytes.empty());
    return bytes;
}

std::int64_t Deployment::count_rows(const std::string& table) const {
    db::Database database(database_, db::Access::query_only);
    const std::string sql = "SELECT COUNT(*) FROM " + table;
    db::Statement statement = database.prepare(sql.c_str());
    REQUIRE(statement.step());
    return statement.integer(0);
}

}  // namespace postern::test
