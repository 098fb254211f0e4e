// The command line itself: help, exit codes, where the configuration comes from, and completion by a real bash with the
// file that is installed.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "help_text.h"
#include "installation.h"
#include "preconditions.h"
#include "support/deployment.h"
#include "util/text.h"

using namespace postern::test;
namespace fs = std::filesystem;

namespace {

/// Checks that each option says what it takes, with its default or its use.
void check_options(const std::vector<HelpEntry>& options) {
    for (const HelpEntry& option : options) {
        CAPTURE(option.name);
        CHECK(option.name.starts_with('-'));
        CHECK(option.description.size() > 9);
        const bool counts = has(option.name, "SECONDS");
        if (counts) CHECK((has(option.description, "default") || has(option.description, "seconds")));
    }
}

}  // namespace

TEST_CASE("usage: every sub-command says what it does, what each option means, an example, and its exit codes") {
    const Installation installation(Installation::Start::configured);
    const auto commands = all_commands(installation);
    CHECK(commands.size() >= 37);
    for (const Command& command : commands) {
        const std::string name = text_of(command);
        CAPTURE(name);
        const std::string help = help_of(installation, command);
        CHECK(help.find('\n') > 10);  // the summary
        CHECK(has(help, "\nUsage: " + name));
        CHECK(has(help, "\nExample:\n  "));
        CHECK(has(help.substr(help.find("\nExample:")), name));
        CHECK(has(help, "\nExit codes: 0 done, 1 refused, 2 wrong usage."));
        auto lists = lists_in(help);
        check_options(lists["Options"]);
        std::string usage = "Usage: " + name + " [OPTIONS]";
        for (const HelpEntry& argument : lists["Arguments"]) {
            CAPTURE(argument.name);
            CHECK(argument.description.size() > 9);
            const std::string optional = usage + " [" + argument.name + "]";
            usage = has(help, optional) ? optional : usage + " " + argument.name;
            CHECK(has(help, usage));
        }
        for (const char* shared : {"--config FILE", "--json"})
            CHECK(std::ranges::find(lists["Options"], shared, &HelpEntry::name) != lists["Options"].end());
    }
}

TEST_CASE("usage: the help fits a terminal of 80 columns, but for examples that are to be copied") {
    const Installation installation(Installation::Start::configured);
    auto commands = all_commands(installation);
    for (const Command& group :
         std::vector<Command>{{}, {"client"}, {"user"}, {"key"}, {"token"}, {"session"}, {"consent"}})
        commands.push_back(group);
    for (const Command& command : commands) {
        CAPTURE(text_of(command));
        const std::string help = help_of(installation, command);
        CHECK(postern::util::is_utf8(help));
        for (const std::string_view line : postern::util::split(help.substr(0, help.find("\nExample:")), '\n')) {
            CAPTURE(std::string(line));
            CHECK(line.size() <= 80);
        }
    }
}

TEST_CASE("usage: the whole command's help sorts the commands and gives the first steps") {
    const Installation installation(Installation::Start::configured);
    const std::string help = help_of(installation, {});
    auto lists = lists_in(help);
    CHECK(lists.count("Subcommands") == 0);  // each has its group
    CHECK(lists.size() >= 5);
    const auto first_steps = help.find("\nFirst steps:");
    REQUIRE(first_steps != std::string::npos);
    for (const char* step : {"postern init", "postern user add", "postern client add", "postern doctor"}) {
        CAPTURE(step);
        CHECK(help.find(step, first_steps) != std::string::npos);
    }
}

TEST_CASE("usage: what the first steps say is enough for an installation") {
    const Installation installation(Installation::Start::configured);
    installation.must({"init"});
    installation.must({"user", "add", "ada", "--password-stdin"}, "correct horse battery\n");
    installation.must({"client", "add", "wiki", "--redirect-uri", "https://wiki.example.org/callback"});
    installation.must({"doctor"});
}

TEST_CASE("usage: a command line that cannot be understood exits 2 with one line") {
    const Installation installation;
    const std::vector<Words> rows = {
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
        {"client", "add", "a", "--redirect-uri", "https://a.example/", "--auth-method", "client_secret_jwt"},
        {"client", "add", "a", "--redirect-uri", "https://a.example/", "--pkce", "plain"},
        {"client", "add", "a", "--redirect-uri", "https://a.example/", "--public", "--auth-method",
         "client_secret_basic"},
        {"client", "add", "a", "--redirect-uri", "https://a.example/", "--public", "--secret-stdin"},
        {"client", "set", "a"},
        {"client", "secret", "a", "--keep-old", "-1"},
        {"client", "secret", "a", "--keep-old", "soon"},
        {"client", "secret", "a", "--keep-old", "077777777"},  // octal it would be below a year
        {"client", "secret", "a", "--keep-old", "0x10"},
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
        {"pages"},
        {"user", "import"},
        {"user", "import", "a", "b"},
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

TEST_CASE("usage: an unknown command, and a value that looks like an option, are named") {
    const Installation installation;
    struct Row {
        Words arguments;
        const char* says;
    };
    const Row rows[] = {
        {{"usr", "list"}, "unknown command \"usr\""},
        {{"user", "lst"}, "unknown command \"lst\""},
        {{"user", "show", "-d"}, "unknown option \"-d\"; put values that start with \"-\" at the end, after \"--\""},
        {{"backup", "--copy.db"}, "unknown option \"--copy.db\""},
        {{"user"}, "subcommand is required"},
        {{"user", "show"}, "NAME is required"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.says);
        const auto result = installation.postern(row.arguments);
        CHECK(result.exit_code == 2);
        CHECK(is_one_plain_line(result.err));
        CHECK(has(result.err, row.says));
    }
    installation.must({"user", "add", "--password-stdin", "--", "-d"}, "quiet boats remember\n");
    CHECK(has(installation.must({"user", "show", "--", "-d"}), "-d"));
}

TEST_CASE("usage: --config goes before POSTERN_CONFIG, wherever it stands") {
    const Installation named;
    const Installation in_environment;
    named.must({"user", "add", "ada", "--password-stdin"}, "quiet boats remember\n");
    const std::string file = named.config_file().string();
    CHECK(has(in_environment.must({"user", "list", "--config", file}), "ada"));
    CHECK(has(in_environment.must({"--config", file, "user", "list"}), "ada"));
    CHECK_FALSE(has(in_environment.must({"user", "list"}), "ada"));
}

TEST_CASE("usage: a configuration that is missing or wrong is refused with its name") {
    const Installation installation;
    CHECK(has(installation.refused({"user", "list", "--config", "/nonexistent/postern.json"}),
              "/nonexistent/postern.json"));

    installation.write_config({{"issuer", "https://id.example.org"}, {"isuer", "x"}});
    const auto wrong = installation.postern({"user", "list"});
    CHECK(wrong.exit_code == 1);
    CHECK(has(wrong.err, "isuer"));
}

TEST_CASE("usage: without a database every command says that init creates it") {
    const Installation installation(Installation::Start::configured);
    const std::vector<Words> rows = {{"user", "list"},  {"client", "list"},          {"client", "remove", "a"},
                                     {"token", "list"}, {"session", "end", "--all"}, {"consent", "list"},
                                     {"purge"},         {"backup", "copy.db"},       {"migrate"},
                                     {"stats"}};
    for (const auto& arguments : rows) {
        CHECK(has(installation.refused(arguments), "postern init"));
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

TEST_CASE("usage: the version is that of the source tree, in the Debian package too") {
    std::string version = read_file(source_directory() / "VERSION");
    REQUIRE(version.ends_with('\n'));
    version.pop_back();
    const Installation installation(Installation::Start::configured);
    CHECK(installation.must({"--version"}) == "postern " + version + "\n");
    CHECK(read_file(source_directory() / "debian/changelog").starts_with("postern (" + version + "-"));
    CHECK(installation.postern({"client", "--version"}).exit_code == 2);
}

namespace {

/// Divides the line as bash does (at blanks, and around = : @), then calls what bash calls.
constexpr const char* kAsk = R"sh(
. /usr/share/bash-completion/bash_completion
. "$COMPLETION"
COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'  # as at a prompt
COMP_LINE=$1 COMP_POINT=${#1}
read -ra COMP_WORDS <<<"$(sed 's/\([=:@]\+\)/ \1 /g' <<<"$1")"
case $1 in *' ' | *[=:@]) case $1 in *' ') COMP_WORDS+=('') ;; esac ;; esac
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMPREPLY=()
_postern
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
)sh";

Words offers(const std::string& line) {
    const auto result = run({"/bin/bash", "-c", kAsk, "bash", line},
                            {{"PATH", fs::path(postern_program()).parent_path().string() + ":/usr/bin:/bin"},
                             {"COMPLETION", (source_directory() / "examples/bash-completion/postern").string()}});
    CHECK(result.exit_code == 0);
    CHECK(result.err == "");
    Words words;
    for (const std::string_view word : postern::util::split(result.out, '\n'))
        if (!word.empty()) words.emplace_back(word);
    std::ranges::sort(words);
    return words;
}

}  // namespace

TEST_CASE("completion: bash offers commands and options, and leaves what is neither to file names") {
    struct Row {
        std::string line;
        Words offers;
    };
    const Row rows[] = {
        {"postern mi", {"migrate"}},
        {"postern c", {"client", "consent"}},
        {"postern nothing", {}},
        {"postern key ", {"list", "nodes", "repair", "retire", "rotate", "share", "sync"}},
        {"postern key rotate --l", {"--lead"}},
        {"postern key rotate --alg ES256 --se", {"--seal"}},
        {"postern key rotate --alg=ES256 --se", {"--seal"}},
        {"postern --config people.jsonl key rot", {"rotate"}},
        {"postern --config=people.jsonl key rot", {"rotate"}},
        {"postern --config c", {}},  // a file's name
        {"postern --config=c", {}},
        {"postern key rotate --alg ", {}},
        {"postern client add x --name --p", {}},  // a value of --name
        {"postern client add x --name key --pk", {"--pkce"}},
        {"postern client show w", {}},
        {"postern client show -- --j", {}},
        {"postern user import pe", {}},
        {"postern user set grace@example.org --unset-c", {"--unset-claim"}},
        {"postern why ", {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        CHECK(offers(row.line) == row.offers);
    }
}

TEST_CASE("completion: every command and every option that the help shows is offered, and no other") {
    const Installation installation(Installation::Start::configured);
    const auto offered = [&](Command words, const std::string& word) {
        words.insert(words.begin(), "--complete");
        words.push_back(word);
        Words found;
        const std::string output = installation.must(words);
        for (const std::string_view line : postern::util::split(output, '\n'))
            if (!line.empty()) found.emplace_back(line);
        return found;
    };
    const auto commands = all_commands(installation);
    CHECK(commands.size() >= 34);
    for (const Command& command : commands) {
        CAPTURE(text_of(command));
        for (std::size_t depth = 0; depth < command.size(); ++depth) {
            const auto names = offered({command.begin(), command.begin() + static_cast<std::ptrdiff_t>(depth)}, "");
            CHECK(std::ranges::count(names, command[depth]) == 1);
        }
        Words shown;
        auto lists = lists_in(help_of(installation, command));
        for (const HelpEntry& option : lists["Options"]) {
            const auto begin = option.name.find("--");
            shown.push_back(option.name.substr(begin, option.name.find_first_of(" ,", begin) - begin));
        }
        std::ranges::sort(shown);
        CHECK(offered(command, "--") == shown);
    }
}

TEST_CASE("completion: without a database, and before a configuration, it is silent and does nothing") {
    const Installation installation(Installation::Start::configured);
    CHECK(installation.must({"--complete", "client", "show", ""}).empty());
    CHECK(installation.must({"--complete", "--config", "/nonexistent", "publi"}) == "publish\n");
    CHECK(has(installation.must({"--complete"}), "client\n"));
    CHECK_FALSE(fs::exists(installation.database_file()));
}

TEST_CASE("completion: the Tab key of a bash completes a command and the name of a file") {
    const Installation installation;
    put_sample(installation);
    const std::string config = installation.config_file().string();
    const std::string start = "bind 'set bell-style none'; . /usr/share/bash-completion/bash_completion; . '" +
                              (source_directory() / "examples/bash-completion/postern").string() + "'";
    write_file(installation.directory() / "rc", "PS1='$ '; " + start + "\n");
    const auto result =
        run({"/usr/bin/script", "-qec",
             "/bin/bash --noprofile --rcfile '" + (installation.directory() / "rc").string() + "' -i", "/dev/null"},
            {{"PATH", fs::path(postern_program()).parent_path().string() + ":/usr/bin:/bin"},
             {"TERM", "dumb"},
             {"HOME", installation.directory().string()}},
            "poste\t--con\t" + config.substr(0, config.size() - 1) + "\tcli\tsho\twiki --js\t\nexit\n");
    CAPTURE(result.out);
    CHECK(has(result.out, "\"client_id\": \"wiki\""));
}
