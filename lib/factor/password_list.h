// Is a password in the operator's list of those that may not be chosen? (PASSWORD-3)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/file.h"

namespace postern::factor {

/// A password in the list: the first 8 bytes of its SHA-1, the greatest first. Collections of stolen passwords are
/// published as SHA-1; it does not matter that passwords can share an entry.
using PasswordEntry = std::uint64_t;

inline constexpr std::size_t kPasswordEntryBytes = 8;

/// Computes the entry of a password.
PasswordEntry password_entry(std::string_view password);
/// Reads an entry from its bytes in the file, or from a whole SHA-1. There must be 8 at least.
PasswordEntry read_password_entry(std::string_view bytes);
/// Appends the 8 bytes of an entry.
void write_password_entry(std::string& to, PasswordEntry entry);

/// A file of sorted entries without a head, as `postern passwords build` makes it: n entries are 8 n bytes, and none is
/// a list that has no password. It is read through the descriptor that is opened here, so a process finds passwords
/// when it may open no file any more, and a list that is replaced is read by the processes that start later.
class PasswordList {
public:
    /// Throws std::runtime_error, which names the file, when it is not a regular file that can be read or has not a
    /// whole number of entries.
    explicit PasswordList(const std::string& file);

    /// Looks a password up with at most 64 reads of 8 bytes. Throws std::runtime_error when one fails, or when the file
    /// has become shorter.
    bool contains(std::string_view password) const;

    std::uint64_t size() const { return size_; }  ///< entries
    /// Reads the entry at `index`, which is less than `size()`. Throws as `contains`.
    PasswordEntry at(std::uint64_t index) const;

private:
    os::Descriptor descriptor_;
    std::uint64_t size_ = 0;
};

/// Opens a list as server::Endpoint wants it.
std::unique_ptr<const PasswordList> open_password_list(const std::string& file);

/// Passes entries on in order, each once. As many as are held may come in any order; a longer list must be in order
/// from its first entry on, and is passed on as it comes.
class EntryOrder {
public:
    EntryOrder(std::size_t most_held, std::function<void(PasswordEntry)> visit);

    /// Returns false for a list that is too long for its order.
    [[nodiscard]] bool add(PasswordEntry entry);

    /// Passes on the entries that are held. To be called once, after the last `add`.
    void finish();

private:
    void pass(PasswordEntry entry);

    std::size_t most_held_;
    std::function<void(PasswordEntry)> visit_;
    std::vector<PasswordEntry> held_ = {};
    std::optional<PasswordEntry> last_ = {};  ///< that was passed on
};

}  // namespace postern::factor
