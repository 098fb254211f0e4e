// Messages and their translations in the format of GNU gettext's compiled catalogues (.mo).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace postern::text {

/// A view of such a file. No number in it is believed before it is known to lie within the bytes.
class MoFile {
public:
    /// `bytes` must outlive it. Throws std::runtime_error, which says what is wrong, for bytes that are not such a file
    /// of revision 0. Its strings are looked at when they are asked for.
    explicit MoFile(std::string_view bytes);

    /// The translation of the message with that key, which is its context, the byte 4 and its text, or the text alone.
    /// nullopt: there is none, or it does not lie within the file. A binary search, because the keys are sorted.
    std::optional<std::string_view> find(std::string_view key) const;

    std::size_t size() const { return count_; }
    /// The `index`-th key; nullopt as above.
    std::optional<std::string_view> key(std::size_t index) const { return string_at(keys_, index); }

private:
    std::uint32_t number_at(std::size_t offset) const;
    std::optional<std::string_view> string_at(std::size_t table, std::size_t index) const;

    std::string_view bytes_;
    bool big_endian_ = false;
    std::size_t count_ = 0;
    std::size_t keys_ = 0;          ///< offset of the table of keys
    std::size_t translations_ = 0;  ///< of that of translations
};

}  // namespace postern::text
