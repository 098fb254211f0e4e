// Sorts more entries of a password list than fit into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "factor/password_list.h"
#include "os/file.h"

namespace postern::cli {

/// Holds some entries in memory. Each time it is full it writes them, sorted, behind those of before into a temporary
/// file without a name.
class EntrySorter {
public:
    /// 8 MB; a billion entries are a thousand sorted runs, whose buffers take as much again.
    static constexpr std::size_t kInMemory = 1'000'000;

    /// The temporary file is made in `directory`, which has room for the list as well.
    explicit EntrySorter(std::string directory, std::size_t in_memory = kInMemory);

    /// Throws Refused when the temporary file cannot be written.
    void add(factor::PasswordEntry entry);

    /// Each different entry once, the smallest first. Once, after the last `add`. Throws Refused.
    void each(const std::function<void(factor::PasswordEntry)>& visit);

private:
    void write_run();

    std::string directory_;
    std::size_t in_memory_;
    std::vector<factor::PasswordEntry> latest_;
    os::Descriptor runs_;
    std::vector<std::size_t> lengths_;  ///< entries of each run
};

}  // namespace postern::cli
