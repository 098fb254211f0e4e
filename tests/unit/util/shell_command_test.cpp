// Commands that are printed to be copied, and what shells make of them.
#include "util/shell_command.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "support/files.h"

using namespace postern;
using namespace postern::test;
using util::shell_word;
using util::ShellCommand;

namespace {

/// What strangers and file systems can bring.
const std::string kHostile[] = {
    // clang-format off
    "https://evil.example/c;touch$IFS.x;.json", "$(touch x)", "`touch x`", "'; touch x; '", "\"; touch x; \"", "a b",
    "a\\'; touch x; #", "*", "~", "=ls", "{a,b}", "!!", "&& touch x", "> x", "#a", "%1", "", "a\ntouch x\n",
    "a\r; touch x", "\xe2\x80\xae'; touch x; '",
    // clang-format on
    "a\xe2\x80\x8b"
    "b",
    "a\xc2\xa0"
    "b",
    "\x1b[2J'; touch x; '",
    "\xff'; touch x; '",
    "m\xc3\xbcller's",
};

/// The arguments that the shell gives to a program `postern`, each in brackets; "" when it gives none.
std::string arguments_in(const TemporaryDirectory& directory, const char* shell, const std::string& command) {
    write_file(directory / "script", "PATH=" + directory.path() + "\n" + command + "\n");
    const std::string line = "cd " + directory.path() + " && " + shell + " script 2>/dev/null";
    std::FILE* const output = ::popen(line.c_str(), "r");
    REQUIRE(output != nullptr);
    std::string text;
    std::array<char, 4096> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), output)) text.append(part.data(), size);
    ::pclose(output);
    return text;
}

}  // namespace

TEST_CASE("ShellCommand: a hostile value is one argument, and nothing else is run [G18]") {
    const TemporaryDirectory directory;
    write_file(directory / "postern", "#!/bin/sh\nprintf '[%s]' \"$@\"\n");
    write_file(directory / "touch", "#!/bin/sh\necho touched >> x\n");
    for (const char* name : {"postern", "touch"})
        std::filesystem::permissions(directory / name, std::filesystem::perms::owner_all);
    for (const std::string& value : kHostile) {
        CAPTURE(value);
        const std::string command = ShellCommand("postern client set").words("--acr any").value(value).text();
        CAPTURE(command);
        CHECK(arguments_in(directory, "bash", command) == "[client][set][--acr][any][" + value + "]");
        arguments_in(directory, "sh", command);  // it may not know $'...'
        CHECK_FALSE(std::filesystem::exists(directory / "x"));
        CHECK(command.find_first_of("\n\r\x1b") == std::string::npos);
    }
}

TEST_CASE("shell_word: what needs no quotes has none, and what cannot be seen is an escape [G18]") {
    const struct {
        const char* value;
        const char* word;
    } rows[] = {
        {"web", "web"},
        {"https://app.example/c.json", "https://app.example/c.json"},
        {"/var/lib/postern/postern.db", "/var/lib/postern/postern.db"},
        {"", "''"},
        {"a b", "'a b'"},
        {"it's", "'it'\\''s'"},
        {"m\xc3\xbcller", "'m\xc3\xbcller'"},
        {"a\nb", "$'a\\012b'"},
        {"a\xe2\x80\xae"
         "b",
         "$'a\\342\\200\\256b'"},
        {"\x1b'", "$'\\033\\047'"},
        {"\xff", "$'\\377'"},
        {"a\xcc\x81\xcc\x81\xcc\x81\xcc\x81", "'a\xcc\x81\xcc\x81\xcc\x81\xcc\x81'"},
        // A terminal would get four marks, and the command would name another one.
        {"a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81", "$'a\\314\\201\\314\\201\\314\\201\\314\\201\\314\\201'"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.value);
        CHECK(shell_word(row.value) == row.word);
    }
}

TEST_CASE("ShellCommand: a value or a path that begins with a dash is no option [G18]") {
    CHECK(ShellCommand("postern key retire").value("-x").text() == "postern key retire -- -x");
    CHECK(ShellCommand("postern client claim remove").value("-x").value("-y").text() ==
          "postern client claim remove -- -x -y");
    CHECK(ShellCommand("chmod o-w").path("-x").text() == "chmod o-w ./-x");
    CHECK(ShellCommand("chgrp").option("--reference=", "/a b").path("/c").text() == "chgrp --reference='/a b' /c");
    CHECK(ShellCommand("postern why").value("a;b").quoted() == "`postern why 'a;b'`");
}

TEST_CASE("sql_identifier: a name is one name, whatever it is [G18]") {
    const struct {
        const char* name;
        const char* identifier;
    } rows[] = {
        {"postern_token", "postern_token"},
        {"Postern", "\"Postern\""},
        {"a\"; DROP ROLE b; --", "\"a\"\"; DROP ROLE b; --\""},
        {"", "\"\""},
        {"a\n\\\"b", "U&\"a\\+00000a\\+00005c\\+000022b\""},
        {"a\xe2\x80\xae"
         "b",
         "U&\"a\\+00202eb\""},
        {"\xc3\xa9\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81",
         "U&\"\xc3\xa9\\+000301\\+000301\\+000301\\+000301\\+000301\""},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        CHECK(util::sql_identifier(row.name) == row.identifier);
    }
}
