#include "text/mo_file.h"

#include <stdexcept>

namespace postern::text {
namespace {

constexpr std::uint32_t kMagic = 0x950412de;
constexpr std::size_t kHeaderSize = 28;
constexpr std::size_t kEntrySize = 8;  // length and offset of a string

[[noreturn]] void refuse(const char* why) { throw std::runtime_error(why); }

}  // namespace

MoFile::MoFile(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < kHeaderSize) refuse("is too short for a catalogue");
    if (number_at(0) != kMagic) big_endian_ = true;
    if (number_at(0) != kMagic) refuse("is not a compiled catalogue (msgfmt makes one)");
    if (number_at(4) != 0) refuse("is a catalogue of another revision than 0");
    count_ = number_at(8);
    keys_ = number_at(12);
    translations_ = number_at(16);
    for (const std::size_t table : {keys_, translations_})
        if (table > bytes.size() || (bytes.size() - table) / kEntrySize < count_) refuse("is a catalogue that was cut");
}

std::uint32_t MoFile::number_at(std::size_t offset) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t at = offset + (big_endian_ ? i : 3 - i);
        number = number << 8 | static_cast<unsigned char>(bytes_[at]);
    }
    return number;
}

std::optional<std::string_view> MoFile::string_at(std::size_t table, std::size_t index) const {
    const std::size_t length = number_at(table + index * kEntrySize);
    const std::size_t offset = number_at(table + index * kEntrySize + 4);
    if (offset > bytes_.size() || length > bytes_.size() - offset) return std::nullopt;
    return bytes_.substr(offset, length);
}

std::optional<std::string_view> MoFile::find(std::string_view key) const {
    std::size_t low = 0;
    std::size_t high = count_;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const auto found = string_at(keys_, middle);
        if (!found) return std::nullopt;
        const int order = found->compare(key);
        if (order == 0) return string_at(translations_, middle);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return std::nullopt;
}

}  // namespace postern::text
