#include "factor/password_list.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "os/file.h"

using namespace postern;
using factor::PasswordEntry;
using factor::PasswordList;
namespace fs = std::filesystem;
using Entries = std::vector<factor::PasswordEntry>;

namespace {

class ListFile {
public:
    explicit ListFile(const std::string& bytes) {
        REQUIRE(::mkdtemp(directory_.data()) != nullptr);
        std::ofstream(path(), std::ios::binary) << bytes;
    }
    ~ListFile() { fs::remove_all(directory_); }
    ListFile(const ListFile&) = delete;
    ListFile& operator=(const ListFile&) = delete;
    std::string path() const { return directory_ + "/list"; }

private:
    std::string directory_ = "/tmp/postern-list-XXXXXX";
};

std::string bytes_of(std::vector<PasswordEntry> entries) {
    std::ranges::sort(entries);
    std::string bytes;
    for (const PasswordEntry entry : entries) factor::write_password_entry(bytes, entry);
    return bytes;
}

}  // namespace

TEST_CASE("password_entry: the first eight bytes of the SHA-1, the greatest first [PASSWORD-3]") {
    CHECK(factor::password_entry("abc") == 0xa9993e364706816aU);
    CHECK(factor::read_password_entry(std::string("\x00\x01\x02\x03\x04\x05\x06\xff", 8)) == 0x00010203040506ffU);
    std::string bytes = "x";
    factor::write_password_entry(bytes, 0x00010203040506ffU);
    CHECK(bytes == std::string("x\x00\x01\x02\x03\x04\x05\x06\xff", 9));
}

TEST_CASE("list: finds each entry, and none of its neighbours [PASSWORD-3]") {
    const PasswordEntry own = factor::password_entry("a password in the list");
    const std::string password = "a password in the list";
    struct Row {
        const char* where;
        std::vector<PasswordEntry> entries;
        bool is_in;
    };
    const Row rows[] = {
        {"alone", {own}, true},
        {"first", {own, own + 1, own + 2, own + 3}, true},
        {"last", {own - 3, own - 2, own - 1, own}, true},
        {"in the middle of three", {own - 1, own, own + 1}, true},
        {"in the middle of four", {0, own - 1, own, ~PasswordEntry{0}}, true},
        {"at the border of the halves", {1, 2, own, own + 1, own + 2}, true},
        {"in no list", {}, false},
        {"one below, alone", {own - 1}, false},
        {"one above, alone", {own + 1}, false},
        {"between neighbours", {own - 2, own - 1, own + 1, own + 2}, false},
        {"below all", {own + 1, own + 2, own + 3}, false},
        {"above all", {own - 3, own - 2, own - 1}, false},
        {"between the least and the greatest", {0, ~PasswordEntry{0}}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.where);
        const ListFile file(bytes_of(row.entries));
        const PasswordList list(file.path());
        CHECK(list.size() == row.entries.size());
        CHECK(list.contains(password) == row.is_in);
    }
}

TEST_CASE("list: a thousand entries are found, each of them, and no other [PASSWORD-3]") {
    std::vector<PasswordEntry> entries;
    for (int i = 0; i < 1000; ++i) entries.push_back(factor::password_entry("in " + std::to_string(i)));
    const ListFile file(bytes_of(entries));
    const PasswordList list(file.path());
    for (int i = 0; i < 1000; ++i) {
        CHECK(list.contains("in " + std::to_string(i)));
        CHECK_FALSE(list.contains("out " + std::to_string(i)));
    }
    std::ranges::sort(entries);
    CHECK(list.at(0) == entries.front());
    CHECK(list.at(999) == entries.back());
}

TEST_CASE("list: what is cut, missing or no file is refused when it is opened, by its name [PASSWORD-3]") {
    for (const std::size_t size : {1, 7, 9, 15, 17}) {
        CAPTURE(size);
        const ListFile file(std::string(size, 'x'));
        try {
            const PasswordList list(file.path());
            FAIL("was taken");
        } catch (const std::runtime_error& error) {
            CHECK(std::string(error.what()).find(file.path()) != std::string::npos);
            CHECK(std::string(error.what()).find("multiple of 8") != std::string::npos);
        }
    }
    for (const char* path : {"/nonexistent/list", "/tmp", "/dev/null"}) {
        CAPTURE(path);
        CHECK_THROWS_WITH_AS(PasswordList{path}, doctest::Contains(path), std::runtime_error);
    }
}

TEST_CASE("list: one that is replaced is read as it was; one that is cut in its place fails [PASSWORD-3]") {
    const std::string password = "a password in the list";
    const ListFile file(bytes_of({1, 2, factor::password_entry(password)}));
    const PasswordList list(file.path());
    REQUIRE(os::replace_file(file.path(), "", 0644));
    CHECK(list.contains(password));
    CHECK_FALSE(PasswordList(file.path()).contains(password));

    const ListFile cut(bytes_of({1, 2, 3, 4}));
    const PasswordList shorter(cut.path());
    fs::resize_file(cut.path(), 8);
    CHECK_THROWS_AS(shorter.contains(password), std::runtime_error);
}

namespace {

/// What comes out of a list where four are held; nullopt when it is refused.
std::optional<Entries> ordered(const Entries& list) {
    Entries out;
    factor::EntryOrder order(4, [&](factor::PasswordEntry entry) { out.push_back(entry); });
    for (const auto entry : list)
        if (!order.add(entry)) return std::nullopt;
    order.finish();
    return out;
}

}  // namespace

TEST_CASE("EntryOrder: a short list in any order, a long one in order, each entry once [PASSWORD-3]") {
    struct Row {
        const char* what;
        Entries list;
        std::optional<Entries> out;
    };
    const Row rows[] = {
        {"none", {}, Entries{}},
        {"one", {7}, Entries{7}},
        {"as many as are held, in any order", {9, 3, 9, 0}, Entries{0, 3, 9}},
        {"more, in order", {0, 1, 2, 3, 4, 5}, Entries{0, 1, 2, 3, 4, 5}},
        {"more, some twice", {1, 1, 2, 3, 3, 3, 4, 4}, Entries{1, 2, 3, 4}},
        {"more, and what is held is out of order", {2, 1, 3, 4, 5}, {}},
        {"more, and the first that is not held is out of order", {1, 2, 3, 4, 3}, {}},
        {"more, and a later one is out of order", {1, 2, 3, 4, 6, 5}, {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        CHECK((ordered(row.list) == row.out));
    }
}
