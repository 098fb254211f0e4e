// Every seed and every input that once broke something is given to its target again.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "fuzz/targets.h"
#include "support/deployment.h"

using namespace postern::test;
namespace fs = std::filesystem;

namespace {

fs::path seeds() { return source_directory() / "tests/fuzz/seeds"; }

std::string verdict_of(const FuzzTarget& target, std::string_view input) {
    try {
        target.run(input);
        return "";
    } catch (const FalsePromise& broken) {
        return broken.promise;
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("fuzz: every seed, and every seed cut short or with a byte changed, is answered by its target") {
    for (const FuzzTarget& target : fuzz_targets()) {
        CAPTURE(target.name);
        std::size_t files = 0;
        for (const auto& entry : fs::directory_iterator(seeds() / target.name)) {
            const std::string file = entry.path().filename();
            CAPTURE(file);
            ++files;
            const std::string whole = read_file(entry.path());
            CHECK(verdict_of(target, whole) == "");
            // Few: this is a replay, not a search.
            for (const std::size_t part : {1U, 2U, 3U}) {
                const std::size_t at = whole.size() * part / 4;
                CHECK(verdict_of(target, whole.substr(0, at)) == "");
                std::string changed = whole;
                if (at < changed.size()) changed[at] = static_cast<char>(changed[at] ^ 0x21);
                CHECK(verdict_of(target, changed) == "");
            }
        }
        CHECK(files >= 3);
    }
}

TEST_CASE("fuzz: every folder of seeds belongs to a target") {
    std::set<std::string> names;
    for (const FuzzTarget& target : fuzz_targets()) names.emplace(target.name);
    for (const auto& entry : fs::directory_iterator(seeds())) CHECK(names.contains(entry.path().filename().string()));
}

TEST_CASE("fuzz: a broken promise is found") {
    const FuzzTarget liar{"liar", [](std::string_view) { promise(false, "kept"); }};
    CHECK(verdict_of(liar, "") == "kept");
}
