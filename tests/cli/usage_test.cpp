// The command line itself: help, exit codes, where the configuration comes from.
#include <doctest/doctest.h>

#include <filesystem>

#include "installation.h"

using namespace postern::test;
namespace fs = std::filesystem;

namespace {

const std::vector<std::vector<std::string>> kCommands = {
    {"init"},
    {"doctor"},
    {"why"},
    {"key", "list"},
    {"client", "add"},
    {"client", "list"},
    {"client", "show"},
    {"client", "set"},
    {"client", "secret"},
    {"client", "disable"},
    {"client", "enable"},
    {"client", "remove"},
    {"user", "add"},
    {"user", "list"},
    {"user", "show"},
    {"user", "set"},
    {"user", "passwd"},
    {"user", "disable"},
    {"user", "enable"},
    {"user", "remove"},
    {"token", "list"},
    {"token", "revoke"},
    {"session", "list"},
    {"session", "end"},
    {"consent", "list"},
    {"consent", "revoke"},
    {"purge"},
    {"backup"},
    {"migrate"},
    {"stats"},
};

}  // namespace

TEST_CASE("usage: every sub-command explains itself with an example and exits 0") {
    const Installation installation(Installation::Start::configured);
    for (auto command : kCommands) {
        CAPTURE(command.back());
        command.emplace_back("--help");
        const auto result = installation.postern(command);
        CHECK(result.exit_code == 0);
        CHECK(result.err.empty());
        CHECK(result.out.find("Example:\n  postern " + command.front()) != std::string::npos);
        CHECK(result.out.find("--config FILE") != std::string::npos);
        CHECK(result.out.find("--json") != std::string::npos);
    }
}

TEST_CASE("usage: a command line that cannot be understood exits 2 with one line") {
    const Installation installation;
    const std::vector<std::vector<std::string>> rows = {
        {},
        {"client"},
        {"user"},
        {"unknown"},
        {"client", "unknown"},
        {"client", "add"},
        {"client", "add", "a", "b", "--redirect-uri", "https://a.example/"},
        {"client", "add", "a", "--unknown"},
        {"client", "add", "a", "--redirect-uri"},
        {"client", "add", "a", "--redirect-uri", "https://a.example/", "--grant", "password"},
        {"client", "add", "a", "--redirect-uri", "https://a.example/", "--auth-method", "private_key_jwt"},
        {"client", "add", "a", "--redirect-uri", "https://a.example/", "--pkce", "plain"},
        {"client", "add", "a", "--redirect-uri", "https://a.example/", "--public", "--auth-method",
         "client_secret_basic"},
        {"client", "add", "a", "--redirect-uri", "https://a.example/", "--public", "--secret-stdin"},
        {"client", "set", "a"},
        {"client", "secret", "a", "--keep-old", "-1"},
        {"client", "secret", "a", "--keep-old", "soon"},
        {"user", "add"},
        {"user", "add", "ada"},
        {"user", "add", "ada", "--password-stdin"},
        {"user", "set", "ada"},
        {"key"},
        {"key", "rotate", "--alg", "HS256"},
        {"key", "rotate", "--lead", "-1"},
        {"key", "rotate", "--lead", "31536001"},
        {"key", "rotate", "--lead"},
        {"key", "retire"},
        {"key", "retire", "--force"},
        {"publish"},
        {"why"},
        {"token"},
        {"session"},
        {"consent"},
        {"purge", "now"},
        {"migrate", "2"},
        {"stats", "--xml"},
        {"init", "--owner", "nobody"},
        {"init", "--owner", ":nogroup"},
        {"init", "--owner", "nobody:"},
    };
    for (const auto& arguments : rows) {
        CAPTURE(arguments.size());
        if (!arguments.empty()) CAPTURE(arguments.back());
        const auto result = installation.postern(arguments);
        CAPTURE(result.err);
        CHECK(result.exit_code == 2);
        CHECK(result.out.empty());
        CHECK(is_one_plain_line(result.err));
    }
}

TEST_CASE("usage: --config goes before POSTERN_CONFIG, wherever it stands") {
    const Installation named;
    const Installation in_environment;
    named.must({"user", "add", "ada", "--password-stdin"}, "secret\n");
    const std::string file = named.config_file().string();
    CHECK(in_environment.must({"user", "list", "--config", file}).find("ada") != std::string::npos);
    CHECK(in_environment.must({"--config", file, "user", "list"}).find("ada") != std::string::npos);
    CHECK(in_environment.must({"user", "list"}).find("ada") == std::string::npos);
}

TEST_CASE("usage: a configuration that is missing or wrong is refused with its name") {
    const Installation installation;
    const auto missing = installation.postern({"user", "list", "--config", "/nonexistent/postern.json"});
    CHECK(missing.exit_code == 1);
    CHECK(is_one_plain_line(missing.err));
    CHECK(missing.err.find("/nonexistent/postern.json") != std::string::npos);

    installation.write_config({{"issuer", "https://id.example.org"}, {"isuer", "x"}});
    const auto wrong = installation.postern({"user", "list"});
    CHECK(wrong.exit_code == 1);
    CHECK(wrong.err.find("isuer") != std::string::npos);
}

TEST_CASE("usage: without a database every command says that init creates it") {
    const Installation installation(Installation::Start::configured);
    const std::vector<std::vector<std::string>> rows = {
        {"user", "list"},  {"client", "list"},          {"client", "remove", "a"},
        {"token", "list"}, {"session", "end", "--all"}, {"consent", "list"},
        {"purge"},         {"backup", "copy.db"},       {"migrate"},
        {"stats"}};
    for (const auto& arguments : rows) {
        const auto result = installation.postern(arguments);
        CHECK(result.exit_code == 1);
        CHECK(is_one_plain_line(result.err));
        CHECK(result.err.find("postern init") != std::string::npos);
    }
    CHECK_FALSE(fs::exists(installation.database_file()));
}

TEST_CASE("usage: a result that cannot be printed is not a success") {
    const Installation installation;
    const auto result = run({"/bin/sh", "-c", "exec \"$0\" client list > /dev/full", postern_program()},
                            {{"POSTERN_CONFIG", installation.config_file().string()}});
    CHECK(result.exit_code == 1);
    CHECK(is_one_plain_line(result.err));
}
