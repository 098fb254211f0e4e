// Is a password in the operator's list of those that may not be chosen? (PASSWORD-3)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "os/file.h"

namespace postern::factor {

/// A password in the list: the first 8 bytes of its SHA-1, the greatest first. Collections of stolen passwords are
/// published as SHA-1; it does not matter that passwords can share an entry.
using PasswordEntry = std::uint64_t;

inline constexpr std::size_t kPasswordEntryBytes = 8;

PasswordEntry password_entry(std::string_view password);
/// Reads an entry from its bytes in the file, or from a whole SHA-1. There must be 8 at least.
PasswordEntry read_password_entry(std::string_view bytes);
/// Appends the 8 bytes.
void write_password_entry(std::string& to, PasswordEntry entry);

/// A file of sorted entries without a head, as `postern passwords build` makes it: n entries are 8 n bytes, and none is
/// a list that has no password. It is read through the descriptor that is opened here, so a process finds passwords
/// when it may open no file any more, and a list that is replaced is read by the processes that start later.
class PasswordList {
public:
    /// Throws std::runtime_error, which names the file, when it is not a regular file that can be read or has not a
    /// whole number of entries.
    explicit PasswordList(const std::string& file);

    /// At most 64 reads of 8 bytes. Throws std::runtime_error when one fails, or when the file has become shorter.
    bool contains(std::string_view password) const;

    std::uint64_t size() const { return size_; }  ///< entries
    /// `index` is less than `size()`. Throws as `contains`.
    PasswordEntry at(std::uint64_t index) const;

private:
    os::Descriptor descriptor_;
    std::uint64_t size_ = 0;
};

/// For server::Endpoint.
std::unique_ptr<const PasswordList> open_password_list(const std::string& file);

}  // namespace postern::factor
