// Commands that are printed to be copied: a stranger's text in them is an argument, whatever it is.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "json/reader.h"
#include "preconditions.h"
#include "store/clients.h"
#include "support/deployment.h"
#include "util/text.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

/// Characters that no id of a new client may have are here, too: a row may be older than that rule.
const std::string kHostile[] = {
    "https://evil.example/c;touch$IFS.x;.json", "https://evil.example/$(touch x)",
    "https://evil.example/'; touch x; '",       "https://evil.example/`touch x`",
    "https://evil.example/\xe2\x80\xae\x1b[2J", "-x; touch x",
};

/// A state of the installation that `doctor` finds fault with.
struct Finding {
    const char* when;
    void (*arrange)(const Installation&, model::Client&);
    const char* before;  ///< the text of the fix before the command
    const char* after;   ///< and behind it
    Words arguments;     ///< of the command, before the id
};

const Finding kFindings[] = {
    {"a client of a document, where those are off",
     [](const Installation&, model::Client& client) { client.origin = model::Origin::document; },
     "switch clientDocuments on, or ",
     "",
     {"client", "remove"}},
    {"a client of a document that is not allowed",
     [](const Installation& installation, model::Client& client) {
         client.origin = model::Origin::document;
         installation.reconfigure("outbound", json::Object{{"enabled", true}});
         installation.reconfigure("clientDocuments",
                                  json::Object{{"enabled", true}, {"allow", json::strings({"app.example"})}});
     },
     "",
     "",
     {"client", "disable"}},
    {"a client for nobody",
     [](const Installation&, model::Client& client) { client.restricted = true; },
     "`",
     "` with --allow-group, --allow-user or --allow-everyone",
     {"client", "set"}},
    {"a client that needs an audience",
     [](const Installation&, model::Client& client) { client.access_token_profile = model::TokenProfile::rfc9068; },
     "set defaultResource in the configuration, or ",
     "",
     {"client", "set", "--default-resource", "URI"}},
    {"a client that wants more than a login is worth",
     [](const Installation& installation, model::Client& client) {
         client.level = model::Level::second_factor;
         installation.reconfigure("login", json::Object{{"secondFactor", "off"}});
     },
     nullptr,
     "`",
     {"client", "set", "--acr", "any"}},
};

/// The fixes of `doctor`.
Words fixes(const Installation& installation) {
    Words all;
    const auto findings = json::parse(installation.postern({"doctor", "--json"}).out);
    REQUIRE(findings);
    for (const json::Value& finding : *findings->if_array()) all.push_back(text_of(finding, "fix"));
    return all;
}

/// The command of the fix that has one with these words; "" without one.
std::string command_of(const Words& fixes, const Finding& finding) {
    std::string words = "postern";
    for (const std::string& word : finding.arguments) words += " " + word;
    for (const std::string& fix : fixes) {
        const auto at = fix.find(words + " ");
        if (at == std::string::npos || (finding.before && fix.substr(0, at) != finding.before)) continue;
        if (!fix.ends_with(finding.after)) continue;
        return fix.substr(at, fix.size() - at - std::string_view(finding.after).size());
    }
    return "";
}

/// Runs it as an operator who pastes it, with a program `postern` that prints its arguments, each in brackets.
std::string pasted(const fs::path& directory, const std::string& command) {
    const auto result = run({"/bin/bash", "-c", "cd " + directory.string() + "\n" + command}, {{"PATH", directory}});
    return result.out;
}

void write_program(const fs::path& file, const std::string& body) {
    write_file(file, "#!/bin/sh\n" + body + "\n");
    fs::permissions(file, fs::perms::owner_all);
}

}  // namespace

TEST_CASE("doctor: a fix names a client of any id, and runs nothing else when it is copied [G18]") {
    for (const Finding& finding : kFindings) {
        CAPTURE(std::string(finding.when));
        const Installation installation;
        const auto place = installation.directory() / "place";
        fs::create_directory(place);
        write_program(place / "postern", "printf '[%s]' \"$@\"");
        write_program(place / "touch", "echo touched > x");
        std::string arguments;
        for (const std::string& argument : finding.arguments) arguments += "[" + argument + "]";
        for (const std::string& id : kHostile) {
            CAPTURE(id);
            model::Client client;
            client.id = model::ClientId(id);
            client.name = "name";
            client.grants = {model::GrantType::authorization_code};
            client.scope = *model::Scope::parse("openid");
            client.redirect_uris = {"https://app.example/cb"};
            client.created_at = util::SystemClock().now();
            finding.arrange(installation, client);
            write(installation, [&](db::Transaction& to) { REQUIRE(store::insert_client(to, client)); });
            const std::string command = command_of(fixes(installation), finding);
            CAPTURE(command);
            CHECK(pasted(place, command) == arguments + (id.starts_with('-') ? "[--]" : "") + "[" + id + "]");
            CHECK_FALSE(fs::exists(place / "x"));
            installation.must({"client", "remove", "--", id});
        }
    }
}

namespace {

/// The literals of C++ that stand next to each other from `at` on, as one text; `at` is behind them then.
std::string literals_at(const std::string& source, std::size_t& at) {
    std::string text;
    while (at < source.size() && source[at] == '"') {
        for (++at; at < source.size() && source[at] != '"'; ++at) {
            if (source[at] == '\\') ++at;
            text += source[at];
        }
        at = source.find_first_not_of(" \n", at + 1);
        if (at == std::string::npos) at = source.size();
    }
    return text;
}

/// Returns whether a text ends within a command, so that a value behind it would be an argument.
bool ends_in_command(const std::string& text) {
    for (const char* program : {"postern ", "chmod ", "chown ", "chgrp ", "adduser ", "fuser ", "systemctl ", "rm ",
                                "sqlite3 ", "curl ", "openssl ", "journalctl ", "kill ", "psql "}) {
        const auto at = text.rfind(program);
        if (at == std::string::npos || (at > 0 && (util::is_letter(text[at - 1]) || text[at - 1] == '"'))) continue;
        const std::string tail = text.substr(at);
        if (tail == "postern ") continue;  // the name of a command of ours follows
        const bool is_command = std::ranges::all_of(tail, [](char c) {
            return util::is_letter(c) || util::is_digit(c) || c == ' ' || c == '-' || c == '+' || c == '=';
        });
        if (is_command && (tail.back() == ' ' || tail.back() == '=')) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("no command that is printed is put together without util::ShellCommand [G18]") {
    int sources = 0;
    for (const char* room : {"lib", "cli", "cgi-bin", "libexec"}) {
        for (const auto& entry : fs::recursive_directory_iterator(source_directory() / room)) {
            const std::string extension = entry.path().extension();
            if (extension != ".cpp" && extension != ".h") continue;
            ++sources;
            const std::string source = read_file(entry.path());
            for (auto at = source.find('"'); at < source.size(); at = source.find('"', at)) {
                const std::string text = literals_at(source, at);
                const bool is_added_to = source.compare(at, 1, "+") == 0 || source.compare(at, 2, "<<") == 0 ||
                                         source.compare(at, 9, ").append(") == 0 || source.compare(at, 3, ") +") == 0;
                CAPTURE(entry.path().string());
                CAPTURE(text);
                if (is_added_to) CHECK_FALSE(ends_in_command(text));
            }
        }
    }
    CHECK(sources > 300);
}
