#include "os/read_file.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <cerrno>
#include <functional>

#include "support/files.h"

using namespace postern;
using namespace postern::test;

namespace {

/// What happens in front of the next call of read(2); a number that it returns is the error of that call.
std::function<int()> before_read;

}  // namespace

// In the place of the C library's, for all of this program.
extern "C" ssize_t read(int descriptor, void* bytes, size_t count) {
    if (const auto happens = std::exchange(before_read, nullptr)) {
        if (const int error = happens(); error != 0) {
            errno = error;
            return -1;
        }
    }
    return ::syscall(SYS_read, descriptor, bytes, count);
}

TEST_CASE("read_file: regular files of at most so many bytes, and no other file holds the caller up") {
    const TemporaryDirectory directory;
    write_file(directory / "full", "12345678");
    write_file(directory / "long", "123456789");
    write_file(directory / "empty", "");
    write_file(directory / "zeros", std::string("a\0b", 3));
    write_file(directory / "secret", "1234");
    REQUIRE(::chmod((directory / "secret").c_str(), 0) == 0);
    std::filesystem::create_symlink(directory / "full", directory / "link");
    std::filesystem::create_symlink(directory / "loop", directory / "loop");
    std::filesystem::create_directory(directory / "directory");
    std::filesystem::create_symlink(directory.path(), directory / "above");
    REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (directory / "socket").copy(address.sun_path, sizeof address.sun_path - 1);
    const os::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);

    using os::FileFault;
    using os::Links;
    // clang-format off
    struct Row {
        std::string path;
        Links links;
        std::string bytes;
        std::optional<FileFault> fault;
        std::string meaning;
    };
    const Row rows[] = {
        {directory / "full",       Links::refused,  "12345678", {}, ""},
        {directory / "above/full", Links::refused,  "12345678", {}, ""},
        {directory / "empty",      Links::refused,  "", {}, ""},
        {directory / "zeros",      Links::refused,  std::string("a\0b", 3), {}, ""},
        {directory / "link",       Links::followed, "12345678", {}, ""},
        {directory / "link",       Links::refused,  "", FileFault::symbolic_link, "is a symbolic link"},
        {directory / "loop",       Links::followed, "", FileFault::not_opened, "cannot be opened (Too many levels of symbolic links)"},
        {directory / "long",       Links::refused,  "", FileFault::too_long, "is larger than 8 bytes"},
        {directory / "missing",    Links::refused,  "", FileFault::not_opened, "cannot be opened (No such file or directory)"},
        {directory / "full/x",     Links::refused,  "", FileFault::not_opened, "cannot be opened (Not a directory)"},
        {directory / "directory",  Links::refused,  "", FileFault::not_regular, "is not a regular file"},
        {directory / "fifo",       Links::refused,  "", FileFault::not_regular, "is not a regular file"},
        {directory / "socket",     Links::refused,  "", FileFault::not_opened, "cannot be opened (No such device or address)"},
        {"/dev/zero",              Links::followed, "", FileFault::not_regular, "is not a regular file"},
        {"",                       Links::refused,  "", FileFault::not_opened, "cannot be opened (No such file or directory)"},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(row.path);
        const auto read = os::read_file(row.path, {.bytes = 8, .links = row.links});
        REQUIRE(bool(read) == !row.fault);
        if (read) CHECK(*read == row.bytes);
        if (!read) CHECK(read.error().fault == *row.fault);
        if (!read) CHECK(read.error().meaning() == row.meaning);
    }
    if (::geteuid() != 0) CHECK(os::read_file(directory / "secret", {.bytes = 8}).error().number == EACCES);
    CHECK(os::FileError{os::FileFault::too_long, 0, 262144}.meaning() == "is larger than 256 KiB");
}

TEST_CASE("read_file: what happens while a file is read") {
    const TemporaryDirectory directory;
    const std::string path = directory / "file";
    const auto becomes = [&](const std::string& text) { return [&path, text] { return write_file(path, text), 0; }; };
    struct Row {
        const char* name;
        std::function<int()> happens;
        std::string bytes;
        std::optional<os::FileFault> fault;
    };
    const Row rows[] = {
        {"a signal", [] { return EINTR; }, "12345678", {}},
        {"an error of the disk", [] { return EIO; }, "", os::FileFault::not_read},
        {"it grows", becomes("123456789"), "", os::FileFault::changed},
        {"it grows beyond the limit", becomes(std::string(100, 'x')), "", os::FileFault::changed},
        {"it shrinks", becomes("1234567"), "", os::FileFault::changed},
        {"it is emptied", becomes(""), "", os::FileFault::changed},
        {"it is replaced",
         [&] {
             write_file(directory / "new", "new");
             std::filesystem::rename(directory / "new", path);
             return 0;
         },
         "12345678",
         {}},
        {"it is removed", [&] { return std::filesystem::remove(path), 0; }, "12345678", {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        write_file(path, "12345678");
        before_read = row.happens;
        const auto read = os::read_file(path, {.bytes = 16});
        REQUIRE_FALSE(before_read);
        REQUIRE(bool(read) == !row.fault);
        if (read) CHECK(*read == row.bytes);
        if (!read) CHECK(read.error().fault == *row.fault);
    }
    write_file(path, "12345678");
    before_read = [] { return EIO; };
    CHECK(os::read_file(path, {.bytes = 8}).error().meaning() == "cannot be read (Input/output error)");
}

TEST_CASE("open_regular: for appending as well, and never creates a file") {
    const TemporaryDirectory directory;
    write_file(directory / "log", "a");
    {
        const auto log = os::open_regular(directory / "log", os::Links::refused, O_WRONLY | O_APPEND);
        REQUIRE(log);
        CHECK(log->status.st_size == 1);
        CHECK(::write(log->descriptor.get(), "b", 1) == 1);
    }
    CHECK(read_file(directory / "log") == "ab");
    CHECK(os::open_regular(directory / "none", os::Links::refused, O_WRONLY | O_APPEND).error().number == ENOENT);
    CHECK_FALSE(std::filesystem::exists(directory / "none"));
    REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
    CHECK_FALSE(os::open_regular(directory / "fifo", os::Links::refused, O_WRONLY));  // ENXIO: it has no reader
}

TEST_CASE("regular_size: of regular files only") {
    const TemporaryDirectory directory;
    write_file(directory / "file", "123");
    CHECK(os::regular_size(os::open_regular(directory / "file", os::Links::refused)->descriptor.get()) == 3);
    const os::Descriptor device(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    CHECK_FALSE(os::regular_size(device.get()));
    CHECK_FALSE(os::regular_size(-1));
}
