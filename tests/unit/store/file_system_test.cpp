#include "store/file_system.h"

#include <fcntl.h>

#include <cerrno>

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;

TEST_CASE("network_file_system: a file that may be on another machine is recognised by its file system [statfs(2)]") {
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
        CHECK(store::network_file_system(row.magic).has_value() == row.network);
    }
}

TEST_CASE("directory_of: what holds a path") {
    CHECK(store::directory_of("/a/b/c") == "/a/b");
    CHECK(store::directory_of("/a") == "/");
    CHECK(store::directory_of("a") == ".");
    CHECK(store::directory_of("a/b") == "a");
    CHECK(store::directory_of("/a/b/") == "/a");
}

TEST_CASE("make_file: exactly the mode asked for whatever the umask, and nothing is replaced") {
    const TemporaryDirectory directory;
    const auto former = ::umask(0077);
    const auto file = store::make_file(directory / "new", 0660);
    ::umask(former);
    CHECK(file);
    CHECK(mode_of(directory / "new") == 0660);
    CHECK_FALSE(store::make_file(directory / "new", 0660));
    CHECK(errno == EEXIST);
}

TEST_CASE("open_or_make: opens what is there, follows no link and does not wait for a FIFO") {
    const TemporaryDirectory directory;
    write_file(directory / "there", "kept");
    CHECK(store::open_or_make(directory / "there", 0660));
    CHECK(read_file(directory / "there") == "kept");
    CHECK(store::open_or_make(directory / "new", 0640));
    CHECK(mode_of(directory / "new") == 0640);

    std::filesystem::create_symlink(directory / "there", directory / "link");
    CHECK_FALSE(store::open_or_make(directory / "link", 0660));
    REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
    CHECK(store::open_or_make(directory / "fifo", 0660));  // comes back at once
}

TEST_CASE("files made by root belong to the owner and group of their directory" * doctest::skip(::geteuid() != 0)) {
    const TemporaryDirectory directory;
    REQUIRE(::chown(directory.path().c_str(), 1234, 2345) == 0);
    CHECK(store::make_file(directory / "file", 0660));
    CHECK(store::make_directory(directory / "keys", 0750));
    for (const char* name : {"file", "keys"}) {
        struct stat status {};
        REQUIRE(::stat((directory / name).c_str(), &status) == 0);
        CHECK(status.st_uid == 1234);
        CHECK(status.st_gid == 2345);
    }
    CHECK(mode_of(directory / "keys") == 0750);
}

TEST_CASE("Descriptor: closed by its last owner, and not before") {
    const TemporaryDirectory directory;
    int number = -1;
    {
        auto first = store::open_or_make(directory / "file", 0660);
        number = first.get();
        const store::Descriptor second = std::move(first);
        CHECK_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is the point
        CHECK(::fcntl(number, F_GETFD) == FD_CLOEXEC);
    }
    CHECK(::fcntl(number, F_GETFD) == -1);
}
