// The table of refusals: each reason has a word of its own and advice, and something refuses for it.
#include "refusal/reason.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

using namespace postern;
using refusal::Reason;

namespace {

/// Whether the text advises a command that `client set` refuses for a client that a document describes, which the
/// operator did not register (cli/client/changes.cpp).
bool advises_registration(std::string_view advice) {
    constexpr std::string_view kSet = "`postern client set {client} --";
    if (advice.find("`postern client secret {client}") != advice.npos) return true;
    for (auto at = advice.find(kSet); at != advice.npos; at = advice.find(kSet, at + 1)) {
        const std::string_view option = advice.substr(at + kSet.size());
        if (!option.starts_with("allow-user") && !option.starts_with("resource") &&
            !option.starts_with("default-resource"))
            return true;
    }
    return false;
}

std::string sources_outside_the_table() {
    namespace fs = std::filesystem;
    std::string all;
    for (const char* room : {"lib", "cgi-bin"})
        for (const auto& file : fs::recursive_directory_iterator(room))
            if (file.is_regular_file() && file.path().parent_path().filename() != "refusal") {
                std::ifstream source(file.path());
                all.append(std::istreambuf_iterator<char>(source), {});
            }
    return all;
}

}  // namespace

TEST_CASE("refusals: each has a word that no other has, an error, and advice for each kind of client [CIMD-4]") {
    std::set<std::string> words;
    for (int i = 0; i < refusal::kReasons; ++i) {
        const auto& row = refusal::row_of(static_cast<Reason>(i));
        const std::string word = row.word;
        CAPTURE(word);
        CHECK(words.insert(word).second);
        CHECK(word.size() <= 64);  // the record of refusals keeps it whole
        CHECK(refusal::find_row(word) == &row);
        CHECK(refusal::row_of(row.error).error == row.error);
        CHECK(std::string_view(row.advice).size() > 40);
        CHECK_FALSE(advises_registration(row.advice_for_described ? row.advice_for_described : row.advice));
    }
    CHECK(refusal::find_row("no_such_word") == nullptr);
    CHECK(refusal::error_word(Reason::invalid_scope_unknown) == "invalid_scope");
    CHECK(refusal::error_word(Reason::invalid_scope) == "invalid_scope");
}

TEST_CASE("refusals: something refuses for each of them") {
    const std::string sources = sources_outside_the_table();
    for (int i = 0; i < refusal::kReasons; ++i) {
        // The word of an OAuth error is that of its code; no other word differs from the name of its reason.
        const std::string word = refusal::row_of(static_cast<Reason>(i)).word;
        const std::string name = word == "client_document" ? "logout_client_document" : word;
        CAPTURE(name);
        bool is_used = false;
        for (const char* behind : {",", ")", ";", "}", " ", "\n"})
            is_used = is_used || sources.find("::" + name + behind) != std::string::npos;
        CHECK(is_used);
    }
}
