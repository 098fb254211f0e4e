// Completion at the shell: a real bash with the file that is installed, asked what it would offer.
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
