// Bytes that must not be printed, compared quickly or left in memory: passwords, client secrets, keys.
#pragma once

#include <string>
#include <string_view>

namespace postern::util {

/// Owns its bytes and wipes them on destruction, move and assignment. Has no `<<` and no comparison: compare digests
/// (`crypto::equal_constant_time`). `reveal()` is explicit, so that a search finds every place that reads one.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string bytes);
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    Secret(Secret&&) noexcept;
    Secret& operator=(Secret&&) noexcept;
    ~Secret();

    std::string_view reveal() const { return bytes_; }
    bool empty() const { return bytes_.empty(); }

private:
    std::string bytes_;
};

/// Overwrites the whole buffer with zeros in a way the optimizer keeps, then clears it.
void wipe(std::string& bytes) noexcept;

}  // namespace postern::util
