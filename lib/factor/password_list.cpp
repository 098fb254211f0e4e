// Finds a password in a sorted file by halving it.
#include "factor/password_list.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "crypto/digest.h"
#include "os/read_file.h"

namespace postern::factor {
namespace {

constexpr unsigned kByteBits = 8;

[[noreturn]] void refuse(const std::string& file, const std::string& meaning) {
    throw std::runtime_error("login.passwordBlocklist: " + file + " " + meaning);
}

}  // namespace

PasswordEntry read_password_entry(std::string_view bytes) {
    PasswordEntry entry = 0;
    for (std::size_t i = 0; i < kPasswordEntryBytes; ++i)
        entry = (entry << kByteBits) | static_cast<unsigned char>(bytes.at(i));
    return entry;
}

void write_password_entry(std::string& to, PasswordEntry entry) {
    for (std::size_t i = kPasswordEntryBytes; i > 0; --i)
        to += static_cast<char>(static_cast<unsigned char>(entry >> ((i - 1) * kByteBits)));
}

PasswordEntry password_entry(std::string_view password) { return read_password_entry(crypto::sha1(password)); }

PasswordList::PasswordList(const std::string& file) {
    auto opened = os::open_regular(file, os::Links::followed);
    if (!opened) refuse(file, opened.error().meaning() + "; make it with `postern passwords build`, readable for all");
    const auto bytes = static_cast<std::uint64_t>(opened->status.st_size);
    if (bytes % kPasswordEntryBytes != 0)
        refuse(file, "is cut or not a list: its size is not a multiple of 8; make it with `postern passwords build`");
    descriptor_ = std::move(opened->descriptor);
    size_ = bytes / kPasswordEntryBytes;
}

PasswordEntry PasswordList::at(std::uint64_t index) const {
    std::array<char, kPasswordEntryBytes> bytes{};
    ssize_t count = 0;
    do {
        count = ::pread(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(index * kPasswordEntryBytes));
    } while (count < 0 && errno == EINTR);
    if (count < 0) throw std::runtime_error("the list of login.passwordBlocklist cannot be read: " + os::errno_text());
    if (count != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error("the list of login.passwordBlocklist has become shorter since it was opened");
    return read_password_entry({bytes.data(), bytes.size()});
}

bool PasswordList::contains(std::string_view password) const {
    const PasswordEntry wanted = password_entry(password);
    std::uint64_t first = 0;
    std::uint64_t end = size_;
    while (first < end) {
        const std::uint64_t middle = first + (end - first) / 2;
        const PasswordEntry found = at(middle);
        if (found == wanted) return true;
        if (found < wanted)
            first = middle + 1;
        else
            end = middle;
    }
    return false;
}

std::unique_ptr<const PasswordList> open_password_list(const std::string& file) {
    return std::make_unique<const PasswordList>(file);
}

EntryOrder::EntryOrder(std::size_t most_held, std::function<void(PasswordEntry)> visit)
    : most_held_(most_held), visit_(std::move(visit)) {}

bool EntryOrder::add(PasswordEntry entry) {
    if (!last_ && held_.size() < most_held_) {
        held_.push_back(entry);
        return true;
    }
    if (!last_ && !std::ranges::is_sorted(held_)) return false;
    finish();
    if (last_ && entry < *last_) return false;
    pass(entry);
    return true;
}

void EntryOrder::finish() {
    std::ranges::sort(held_);
    for (const PasswordEntry entry : held_) pass(entry);
    held_ = {};
}

void EntryOrder::pass(PasswordEntry entry) {
    if (entry != last_) visit_(entry);
    last_ = entry;
}

}  // namespace postern::factor
