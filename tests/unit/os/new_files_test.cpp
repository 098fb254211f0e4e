#include "os/new_files.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include "os/file.h"
#include "support/files.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

TEST_CASE("NewFiles: what was added is removed, what is inside first, unless it is kept") {
    for (const bool kept : {false, true}) {
        CAPTURE(kept);
        const TemporaryDirectory directory;
        const std::string inner = directory / "made";
        {
            os::NewFiles made;
            REQUIRE(::mkdir(inner.c_str(), 0700) == 0);
            made.add(inner);
            made.add(inner + "/file", os::make_file(inner + "/file", 0600));
            CHECK(made.paths() == std::vector<std::string>{inner, inner + "/file"});
            if (kept) made.keep();
        }
        CHECK(fs::exists(inner + "/file") == kept);
        CHECK(fs::exists(inner) == kept);
    }
}

TEST_CASE("NewFiles: a name that belongs to another file by now is left alone, and so is a directory in use") {
    const TemporaryDirectory directory;
    const std::string inner = directory / "made";
    {
        os::NewFiles made;
        REQUIRE(::mkdir(inner.c_str(), 0700) == 0);
        made.add(inner);
        made.add(inner + "/gone", os::make_file(inner + "/gone", 0600));
        made.add(inner + "/other", os::make_file(inner + "/other", 0600));
        made.add(inner + "/never");
        fs::remove(inner + "/gone");
        fs::remove(inner + "/other");
        for (int i = 0; i < 20; ++i) write_file(inner + "/next" + std::to_string(i), "");  // would take a free inode
        write_file(inner + "/other", "another process's");
    }
    CHECK(read_file(inner + "/other") == "another process's");
    CHECK(fs::exists(inner + "/next19"));
}
