// The manual is right: every command of README.md, docs/OPERATIONS.md, docs/CLIENTS.md and the pages in docs/clients is
// typed, in order, on a new installation.
//
// A block that is indented by four columns holds commands, one a line; a block between fences has its language behind
// the first one: "json" is a configuration, "crontab" the lines of a file in /etc/cron.d, "sh" what is typed on other
// machines. What follows a comment <!-- on a new machine --> is typed where nothing has been installed but the programs
// and the copies. Whoever adds a command to the manual has added it here. What cannot be run by a test is named in
// kElsewhere.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "config/config.h"
#include "help_text.h"
#include "support/deployment.h"
#include "support/process.h"
#include "util/text.h"

using namespace postern::test;
namespace fs = std::filesystem;
using postern::util::split;
using postern::util::trim;

namespace {

/// docs/CLIENTS.md, then the page of each application in the order of their names.
Words manuals_of_clients() {
    Words manuals;
    for (const auto& entry : fs::directory_iterator(source_directory() / "docs/clients"))
        manuals.push_back("docs/clients/" + entry.path().filename().string());
    std::ranges::sort(manuals);
    REQUIRE(manuals.size() >= 20);
    manuals.insert(manuals.begin(), "docs/CLIENTS.md");
    return manuals;
}

Words all_manuals() {
    Words manuals = manuals_of_clients();
    manuals.insert(manuals.begin(), {"README.md", "docs/OPERATIONS.md"});
    return manuals;
}

struct Elsewhere {
    std::string_view command;  ///< how it begins, behind sudo
    std::string_view why;
};

constexpr Elsewhere kElsewhere[] = {
    {"make run", "serves until Ctrl-C; tests/clients/curl.test.mjs starts it"},
    {"make test", "is what runs this test"},
    {"apt-get ", "would change this machine; scripts/packages names the same package"},
    {"make deb", "takes minutes and needs Debian's tools for packages; scripts/test-deb tries what it makes"},
    {"apt install ./build/deb/", "would install them on this machine; scripts/test-deb does so in a root of its own"},
    {"make STATIC=1", "takes minutes; the manual says what was tried with it"},
    {"systemctl ", "would stop and start services of this machine; tests/interop starts the shipped configurations"},
    {"systemd-sysusers", "would make users on this machine; tests/servers makes them in a directory"},
    {"systemd-tmpfiles ", "would make directories on this machine; tests/servers makes them in a directory"},
    {"journalctl ", "there is no service whose journal it could show"},
    {"/usr/local/bin/postern mail deliver", "needs \"mail\" in the configuration; tests/cli/mail_test.cpp runs it"},
    {"/usr/local/bin/postern session deliver",
     "needs \"backchannelLogout\"; tests/security/session_deliver.test.mjs runs it"},
    {"postern doctor --mail", "would send a message; tests/cli/mail_test.cpp sends one"},
    {"curl -s https://id.example.org",
     "needs the name, a certificate and port 443; tests/interop asks the same address"},
};

/// Languages of what is shown and not typed.
constexpr std::string_view kShown[] = {"json", "log", "sh", "ini", "text", "yaml", "nginx", "lighttpd"};

constexpr const char* kNewMachine = "<!-- on a new machine -->";

struct Block {
    std::string language;  ///< "": commands; kNewMachine: none, but another machine
    std::size_t line = 0;  ///< of its first line
    Words lines;
};

/// An indented block follows an empty line, as Markdown has it.
std::vector<Block> blocks_of(const std::string& text) {
    std::vector<Block> blocks;
    bool inside = false;
    bool fenced = false;
    bool after_empty = true;
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
        ++number;
        if (line.starts_with("```")) {
            fenced = !fenced;
            if (fenced) blocks.push_back({std::string(line.substr(3)), number + 1, {}});
            inside = false;
        } else if (line == kNewMachine) {
            blocks.push_back({kNewMachine, number, {"a_new_machine"}});
        } else if (fenced) {
            blocks.back().lines.emplace_back(line);
        } else if (line.starts_with("    ") && (inside || after_empty)) {
            if (!inside) blocks.push_back({"", number, {}});
            blocks.back().lines.emplace_back(line.substr(4));
            inside = true;
        } else {
            inside = false;
        }
        after_empty = trim(line).empty();
    }
    CHECK_FALSE(fenced);
    return blocks;
}

struct Typed {
    std::string where;  ///< "docs/OPERATIONS.md:17"
    std::string command;
};

/// "17 3 * * * root COMMAND", where a percent sign is written with a backslash (crontab(5)).
std::string cron_command(std::string_view line) {
    for (int field = 0; field < 6; ++field) {
        const auto blank = line.find(' ');
        REQUIRE(blank != line.npos);
        line.remove_prefix(blank + 1);
    }
    std::string command(line);
    for (auto at = command.find("\\%"); at != command.npos; at = command.find("\\%", at)) command.erase(at, 1);
    return command;
}

std::vector<Typed> commands_of(const std::string& manual) {
    std::vector<Typed> commands;
    for (const Block& block : blocks_of(read_file(source_directory() / manual))) {
        if (std::ranges::find(kShown, block.language) != std::end(kShown)) continue;
        for (std::size_t i = 0; i < block.lines.size(); ++i) {
            const std::string& line = block.lines[i];
            commands.push_back({manual + ":" + std::to_string(block.line + i),
                                block.language == "crontab" ? cron_command(line) : line});
        }
    }
    return commands;
}

const Elsewhere* elsewhere(std::string_view command) {
    if (command.starts_with("sudo ")) command.remove_prefix(5);
    const auto* row = std::ranges::find_if(
        kElsewhere, [&](const Elsewhere& candidate) { return command.starts_with(candidate.command); });
    return row == std::end(kElsewhere) ? nullptr : row;
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// As a person reads it: absolute names below `root`, words in capitals for what they stand for.
std::string as_meant(const std::string& typed, const std::string& root) {
    std::string command = " " + typed;
    for (const char* directory : {"/tmp/", "/etc/", "/var/", "/usr/local/", "/root/"}) {
        for (const char* before : {" ", "#", "'", "\""})
            replace_all(command, std::string(before) + directory, before + root + directory);
    }
    replace_all(command, "www-data:www-data", "\"$(id -un):$(id -gn)\"");
    replace_all(command, "-o www-data -g www-data", "-o \"$(id -un)\" -g \"$(id -gn)\"");
    // Whoever runs the tests may have one group only; tests/cli/divided_keys_test.cpp gives the keys to two.
    replace_all(command, "root:postern --signers postern-sign --sealers postern-seal --factors postern-factor",
                "\"$(id -un):$(id -gn)\"");
    replace_all(command, " build/", " " + build_directory().string() + "/");
    replace_all(command, "REQUEST_ID", "\"$(a_request_id)\"");
    return command;
}

/// A directory that stands for the machine's root.
class Machine {
public:
    Machine() {
        std::string name = (fs::temp_directory_path() / "postern-manual-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        root_ = name;
        fs::permissions(root_, fs::perms(0755));  // the web server's user looks at the executables
        for (const char* there :
             {"etc/lighttpd", "etc/apache2/sites-available", "etc/apache2/sites-enabled", "etc/nginx/sites-enabled",
              "run", "usr/local/sbin", "etc/logrotate.d", "var/lib/prometheus/node-exporter", "var/backups",
              "var/www/html", "usr/local/bin", "root", "tmp"})
            fs::create_directories(root_ / there);
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    ~Machine() {
        std::error_code ignored;
        fs::remove_all(root_, ignored);
    }

    /// One shell for all, since later commands see what earlier ones did; ends at the first that fails and names it.
    ProcessResult type(const std::vector<Typed>& commands) const {
        std::string script = ". '" + (source_directory() / "tests/support/manual.sh").string() + "'\nset -o pipefail\n";
        for (const Typed& typed : commands) {
            script += as_meant(typed.command, root_.string());
            script +=
                "\nended=$?; [ $ended -eq 0 ] || { echo \"" + typed.where + " ended with $ended\" >&2; exit 1; }\n";
        }
        return run({"/bin/bash", "-c", script},
                   {{"PATH", (root_ / "usr/local/sbin").string() + ":" + (root_ / "usr/local/bin").string() +
                                 ":/usr/bin:/bin:/usr/sbin:/sbin"},
                    {"ROOT", root_.string()},
                    {"POSTERN_BUILD", build_directory().string()},
                    {"POSTERN_CONFIG", (root_ / "etc/postern/postern.json").string()}},
                   {}, std::chrono::minutes(15));
    }

    /// All of the manuals but what can only be done elsewhere.
    void follow(const Words& manuals) const {
        std::vector<Typed> commands;
        for (const std::string& manual : manuals) std::ranges::copy(commands_of(manual), std::back_inserter(commands));
        REQUIRE(commands.size() >= 10);
        std::erase_if(commands, [](const Typed& typed) { return elsewhere(typed.command) != nullptr; });
        const auto result = type(commands);
        CAPTURE(result.out);
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
    }

    const fs::path& root() const { return root_; }

private:
    fs::path root_;
};

/// Where everything stands in ` `, outside of blocks.
Words inline_code(const std::string& text) {
    Words found;
    for (const std::string_view line : split(text, '\n')) {
        if (line.starts_with("```") || line.starts_with("    ")) continue;
        const auto parts = split(line, '`');
        for (std::size_t i = 1; i + 1 < parts.size(); i += 2) found.emplace_back(parts[i]);
    }
    return found;
}

bool begins_with(const std::vector<std::string_view>& words, const Command& command) {
    return words.size() > command.size() && std::equal(command.begin(), command.end(), words.begin() + 1,
                                                       [](const std::string& a, std::string_view b) { return a == b; });
}

}  // namespace

TEST_CASE("manual: every command of README.md works, in order, on a new installation") {
    const Machine machine;
    machine.follow({"README.md"});
    CHECK(has(machine.type({{"1", "postern client list"}}).out, "https://wiki.example.org/oidc/callback"));
}

TEST_CASE("manual: every command of docs/OPERATIONS.md works, in order, and leaves what it says") {
    const Machine machine;
    machine.follow({"docs/OPERATIONS.md"});
    const fs::path& root = machine.root();
    CHECK(fs::exists(root / "var/lib/postern/postern.db.gate"));
    CHECK_FALSE(fs::exists(root / "var/lib/postern/unused"));
    CHECK(fs::exists(root / "var/www/html/.well-known/jwks.json"));
    CHECK(has(read_file(root / "var/lib/prometheus/node-exporter/postern.prom"), "postern_users{"));
    CHECK(has(read_file(root / "etc/lighttpd/lighttpd.conf"), "include \"postern-cgi.conf\"\n"));
    const auto users = machine.type({{"1", "postern user list"}});
    for (const char* name : {"alice", "bob"}) CHECK(has(users.out, name));
}

TEST_CASE(
    "manual: every command of docs/CLIENTS.md and of its pages works, in order, where README.md has been followed") {
    const Machine machine;
    machine.follow({"README.md"});
    machine.follow(manuals_of_clients());
    const auto clients = machine.type({{"1", "postern client list"}});
    for (const char* id : {"shop", "board", "notes", "nightly", "reports-api", "oidc-agent", "reader"})
        CHECK(has(clients.out, id));
}

TEST_CASE("manual: the configurations in it are accepted") {
    std::size_t found = 0;
    for (const std::string& manual : all_manuals()) {
        for (const Block& block : blocks_of(read_file(source_directory() / manual))) {
            if (block.language != "json") continue;
            CAPTURE(block.line);
            std::string text;
            for (const std::string& line : block.lines) text += line + "\n";
            const auto config = postern::config::parse_config(text);
            if (!config) FAIL_CHECK(config.error().front().key << " " << config.error().front().reason);
            ++found;
        }
    }
    CHECK(found >= 3);
}

TEST_CASE("manual: the commands and options that its sentences name are there") {
    const Installation installation(Installation::Start::configured);
    const auto commands = all_commands(installation);
    std::size_t found = 0;
    for (const std::string& manual : all_manuals()) {
        for (const std::string& code : inline_code(read_file(source_directory() / manual))) {
            const auto words = split(code, ' ');
            if (words.front() != "postern" || words.size() < 2 || words[1].starts_with('-') || words[1] == "COMMAND")
                continue;
            CAPTURE(code);
            const auto command =
                std::ranges::find_if(commands, [&](const Command& candidate) { return begins_with(words, candidate); });
            REQUIRE(command != commands.end());
            const std::string help = help_of(installation, *command);
            for (const std::string_view word : words) {
                if (!word.starts_with("--") || word == "--") continue;
                CAPTURE(std::string(word));
                CHECK(has(help, "\n  " + std::string(word)));
            }
            ++found;
        }
    }
    CHECK(found >= 20);
}

TEST_CASE("manual: the messages that it quotes are those of the programs") {
    std::string sources;
    for (const char* directory : {"lib", "cli"}) {
        for (const auto& entry : fs::recursive_directory_iterator(source_directory() / directory))
            if (entry.path().extension() == ".cpp") sources += read_file(entry.path());
    }
    // Texts are broken into lines there.
    for (auto at = sources.find("\"\n"); at != sources.npos; at = sources.find("\"\n", at)) {
        const auto next = sources.find_first_not_of(" \n", at + 1);
        if (next == sources.npos) break;
        if (sources[next] == '"')
            sources.erase(at, next + 1 - at);
        else
            ++at;
    }
    struct Table {
        const char* head;
        std::size_t column;  ///< what is quoted there is looked for
        std::size_t least;
    };
    const std::string text = read_file(source_directory() / "docs/OPERATIONS.md");
    for (const Table& table : {Table{"| what you see", 1, 15}, Table{"| what has happened", 2, 20}}) {
        std::string_view rest = std::string_view(text).substr(text.find(table.head));
        rest = rest.substr(0, rest.find("\n\n"));
        std::size_t found = 0;
        for (const std::string_view line : split(rest, '\n')) {
            const auto cells = split(line, '|');
            if (cells.size() != 5) continue;
            const auto quoted = split(cells[table.column], '"');
            for (std::size_t i = 1; i < quoted.size(); i += 2) {
                CAPTURE(std::string(quoted[i]));
                CHECK(has(sources, quoted[i]));
                ++found;
            }
        }
        CHECK(found >= table.least);
    }
}
