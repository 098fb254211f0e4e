#include "os/file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "support/files.h"

using namespace postern;
using namespace postern::test;

namespace {

/// What a file was, just before and after each change of its mode or group, while somebody wants to know.
std::optional<std::vector<struct stat>> moments;

int watched(int descriptor, long result) {
    struct stat status {};
    if (moments && ::fstat(descriptor, &status) == 0) moments->push_back(status);
    return static_cast<int>(result);
}

}  // namespace

// In the place of the C library's, for all of this program.
extern "C" int fchmod(int descriptor, mode_t mode) {
    watched(descriptor, 0);
    return watched(descriptor, ::syscall(SYS_fchmod, descriptor, mode));
}
extern "C" int fchown(int descriptor, uid_t user, gid_t group) {
    watched(descriptor, 0);
    return watched(descriptor, ::syscall(SYS_fchown, descriptor, user, group));
}

TEST_CASE(
    "network_file_system: a file that may be on another machine is recognised by its file system [statfs(2), S06]") {
    struct Row {
        const char* name;
        std::int64_t magic;
        bool network;
    };
    const Row rows[] = {
        {"NFS", 0x6969, true},
        {"SMB", 0x517b, true},
        {"SMB2", 0xfe534d42, true},
        {"CIFS where f_type is signed", static_cast<std::int32_t>(0xff534d42), true},
        {"9p", 0x01021997, true},
        {"FUSE, sshfs among them", 0x65735546, true},
        {"ext4", 0xef53, false},
        {"xfs", 0x58465342, false},
        {"btrfs", 0x9123683e, false},
        {"tmpfs", 0x01021994, false},
        {"overlayfs", 0x794c7630, false},
        {"zfs", 0x2fc12fc1, false},
        {"one bit beside NFS", 0x6968, false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        CHECK(os::network_file_system(row.magic).has_value() == row.network);
    }
}

TEST_CASE("directory_of: what holds a path") {
    CHECK(os::directory_of("/a/b/c") == "/a/b");
    CHECK(os::directory_of("/a") == "/");
    CHECK(os::directory_of("a") == ".");
    CHECK(os::directory_of("a/b") == "a");
    CHECK(os::directory_of("/a/b/") == "/a");
}

TEST_CASE("make_file: exactly the mode asked for under any umask, and nothing is replaced") {
    const TemporaryDirectory directory;
    const auto former = ::umask(0077);
    const auto file = os::make_file(directory / "new", 0660);
    ::umask(former);
    CHECK(file);
    CHECK(mode_of(directory / "new") == 0660);
    CHECK_FALSE(os::make_file(directory / "new", 0660));
    CHECK(errno == EEXIST);
}

TEST_CASE("make_whole_file: all of it under its name, exactly the mode, and nothing is replaced") {
    const TemporaryDirectory directory;
    const std::string path = directory / "seal.key";
    const auto former = ::umask(0077);
    const auto file = os::make_whole_file(path, "whole", 0640);
    ::umask(former);
    REQUIRE(file);
    CHECK(os::is_at(path, file));
    CHECK(read_file(path) == "whole");
    CHECK(mode_of(path) == 0640);
    CHECK_FALSE(os::make_whole_file(path, "other", 0640));
    CHECK(errno == EEXIST);
    CHECK(read_file(path) == "whole");
    CHECK_FALSE(os::make_whole_file(directory / "no/such", "x", 0640));
    CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);  // no temporary file is left
}

TEST_CASE("is_at: the same file, not the same name") {
    const TemporaryDirectory directory;
    const auto file = os::make_file(directory / "one", 0600);
    CHECK(os::is_at(directory / "one", file));
    std::filesystem::rename(directory / "one", directory / "two");
    CHECK_FALSE(os::is_at(directory / "one", file));
    CHECK(os::is_at(directory / "two", file));
    write_file(directory / "one", "");
    CHECK_FALSE(os::is_at(directory / "one", file));
    std::filesystem::create_symlink(directory / "two", directory / "link");
    CHECK_FALSE(os::is_at(directory / "link", file));
}

TEST_CASE("open_or_make: opens what is there, follows no link and does not wait for a FIFO") {
    const TemporaryDirectory directory;
    write_file(directory / "there", "kept");
    CHECK(os::open_or_make(directory / "there", 0660));
    CHECK(read_file(directory / "there") == "kept");
    CHECK(os::open_or_make(directory / "new", 0640));
    CHECK(mode_of(directory / "new") == 0640);

    std::filesystem::create_symlink(directory / "there", directory / "link");
    CHECK_FALSE(os::open_or_make(directory / "link", 0660));
    REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
    CHECK(os::open_or_make(directory / "fifo", 0660));  // comes back at once
}

TEST_CASE("files made by root belong to the owner and group of their directory" * doctest::skip(::geteuid() != 0)) {
    const TemporaryDirectory directory;
    REQUIRE(::chown(directory.path().c_str(), 1234, 2345) == 0);
    CHECK(os::make_file(directory / "file", 0660));
    CHECK(os::make_directory(directory / "keys", 0750));
    for (const char* name : {"file", "keys"}) {
        struct stat status {};
        REQUIRE(::stat((directory / name).c_str(), &status) == 0);
        CHECK(status.st_uid == 1234);
        CHECK(status.st_gid == 2345);
    }
    CHECK(mode_of(directory / "keys") == 0750);
}

TEST_CASE("replace_file: a user who may not read the file in the end cannot open it before that") {
    const bool is_root = ::geteuid() == 0;
    const TemporaryDirectory directory;
    const std::string model = directory / "seal.key";
    write_file(model, "old");
    REQUIRE(::chmod(model.c_str(), is_root ? 0640 : 0600) == 0);
    if (is_root) {
        REQUIRE(::chown(directory.path().c_str(), 0, 2345) == 0);
        REQUIRE(::chown(model.c_str(), 0, 3456) == 0);
    }
    struct stat wanted {};
    REQUIRE(::stat(model.c_str(), &wanted) == 0);

    moments.emplace();
    REQUIRE(os::replace_file(model, "new", 0640, model));
    const auto seen = *std::exchange(moments, std::nullopt);
    REQUIRE_FALSE(seen.empty());
    for (const struct stat& moment : seen) {
        CAPTURE(moment.st_mode);
        CAPTURE(moment.st_gid);
        const mode_t may_be_open = moment.st_gid == wanted.st_gid ? wanted.st_mode : S_IRUSR | S_IWUSR;
        CHECK((moment.st_mode & 0777 & ~may_be_open) == 0);
    }
    struct stat replaced {};
    REQUIRE(::stat(model.c_str(), &replaced) == 0);
    CHECK(replaced.st_mode == wanted.st_mode);
    CHECK(replaced.st_gid == wanted.st_gid);
}

TEST_CASE("Descriptor: closed by its last owner, and not before") {
    const TemporaryDirectory directory;
    int number = -1;
    {
        auto first = os::open_or_make(directory / "file", 0660);
        number = first.get();
        const os::Descriptor second = std::move(first);
        CHECK_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is the point
        CHECK(::fcntl(number, F_GETFD) == FD_CLOEXEC);
    }
    CHECK(::fcntl(number, F_GETFD) == -1);
}

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
        CHECK(std::filesystem::exists(inner + "/file") == kept);
        CHECK(std::filesystem::exists(inner) == kept);
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
        std::filesystem::remove(inner + "/gone");
        std::filesystem::remove(inner + "/other");
        for (int i = 0; i < 20; ++i) write_file(inner + "/next" + std::to_string(i), "");  // would take a free inode
        write_file(inner + "/other", "another process's");
    }
    CHECK(read_file(inner + "/other") == "another process's");
    CHECK(std::filesystem::exists(inner + "/next19"));
}
