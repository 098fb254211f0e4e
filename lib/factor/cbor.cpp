// Decides which bytes are a CBOR map in the one spelling that is read here (RFC 8949).
#include "factor/cbor.h"

#include <algorithm>
#include <limits>

#include "util/text.h"

namespace postern::factor {
namespace {

/// RFC 8949 §3: the first byte, and the number that it has or announces.
struct Head {
    CborType type = CborType::none;
    std::uint64_t argument = 0;
};

/// By major type, RFC 8949 §3.1. Tags, the sixth, are not read.
constexpr std::array<CborType, 8> kTypes = {CborType::unsigned_integer,
                                            CborType::negative_integer,
                                            CborType::bytes,
                                            CborType::text,
                                            CborType::array,
                                            CborType::map,
                                            CborType::none,
                                            CborType::simple};

// RFC 8949 §3: what the lower five bits of a head say.
constexpr unsigned kFirstWidth = 24;  // 24 to 27: the argument is in the next 1, 2, 4 or 8 bytes
constexpr unsigned kLastWidth = 27;

// RFC 8949 §3.3
constexpr unsigned kFalse = 20;
constexpr unsigned kNull = 22;

/// The least argument that needs so many bytes (RFC 8949 §4.2.1).
constexpr std::array<std::uint64_t, 4> kLeast = {24, 0x100, 0x1'0000, 0x1'0000'0000};

}  // namespace

class CborReader {
public:
    explicit CborReader(std::string_view bytes) : rest_(bytes) {}

    std::string_view rest() const { return rest_; }

    /// `depth` is how many levels there may be, this one included.
    std::optional<CborMap> map(std::size_t most_members, std::size_t depth) {
        const auto found = head();
        if (!found || found->type != CborType::map) return std::nullopt;
        return members(found->argument, most_members, depth);
    }

private:
    std::optional<CborMap> members(std::uint64_t count, std::size_t most, std::size_t depth) {
        if (depth == 0 || count > most) return std::nullopt;
        CborMap map;
        while (map.size() < count) {
            const auto label = item(0);
            if (!label || !(label->integer() || label->text())) return std::nullopt;
            const auto value = item(depth - 1);
            if (!value || !map.add({.label = *label, .value = *value})) return std::nullopt;
        }
        return map;
    }

    bool elements(std::uint64_t count, std::size_t depth) {
        if (depth == 0 || count > kCborMembers) return false;
        for (std::uint64_t i = 0; i < count; ++i) {
            if (!item(depth - 1)) return false;
        }
        return true;
    }

    std::optional<CborItem> item(std::size_t depth) {
        const auto found = head();
        if (!found) return std::nullopt;
        const CborItem plain(found->type, found->argument);
        switch (found->type) {
            case CborType::bytes:
            case CborType::text:
                return string(*found);
            case CborType::array:
                return elements(found->argument, depth) ? std::optional(plain) : std::nullopt;
            case CborType::map:
                return members(found->argument, kCborMembers, depth) ? std::optional(plain) : std::nullopt;
            default:
                return plain;
        }
    }

    std::optional<CborItem> string(const Head& head) {
        if (head.argument > rest_.size()) return std::nullopt;
        const std::string_view content = take(static_cast<std::size_t>(head.argument));
        if (head.type == CborType::text && !util::is_utf8(content)) return std::nullopt;
        return CborItem(head.type, head.argument, content);
    }

    std::optional<Head> head() {
        if (rest_.empty()) return std::nullopt;
        const auto first = static_cast<unsigned char>(take(1).front());
        const CborType type = kTypes.at(first >> 5U);
        const unsigned low = first & 0x1FU;
        if (type == CborType::none) return std::nullopt;
        if (type == CborType::simple && (low < kFalse || low > kNull)) return std::nullopt;
        if (low < kFirstWidth) return Head{.type = type, .argument = low};
        if (low > kLastWidth) return std::nullopt;
        const auto argument = wide(low - kFirstWidth);
        if (!argument) return std::nullopt;
        return Head{.type = type, .argument = *argument};
    }

    /// An argument of 1, 2, 4 or 8 bytes, which must need them.
    std::optional<std::uint64_t> wide(unsigned width) {
        const std::size_t bytes = std::size_t{1} << width;
        if (rest_.size() < bytes) return std::nullopt;
        std::uint64_t number = 0;
        for (const char c : take(bytes)) number = number << 8U | static_cast<unsigned char>(c);
        return number >= kLeast.at(width) ? std::optional(number) : std::nullopt;
    }

    /// `count` bytes, which must be there.
    std::string_view take(std::size_t count) {
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }

    std::string_view rest_;
};

std::optional<std::int64_t> CborItem::integer() const {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (argument_ > kMost) return std::nullopt;
    const auto number = static_cast<std::int64_t>(argument_);
    if (type_ == CborType::unsigned_integer) return number;
    if (type_ == CborType::negative_integer) return -1 - number;
    return std::nullopt;
}

std::optional<std::string_view> CborItem::bytes() const {
    return type_ == CborType::bytes ? std::optional(content_) : std::nullopt;
}

std::optional<std::string_view> CborItem::text() const {
    return type_ == CborType::text ? std::optional(content_) : std::nullopt;
}

bool CborMap::add(const Member& member) {
    for (std::size_t i = 0; i < size_; ++i) {
        if (members_[i].label == member.label) return false;
    }
    members_.at(size_++) = member;
    return true;
}

CborItem CborMap::find(std::int64_t label) const {
    for (std::size_t i = 0; i < size_; ++i) {
        if (members_[i].label.integer() == label) return members_[i].value;
    }
    return {};
}

CborItem CborMap::find(std::string_view label) const {
    for (std::size_t i = 0; i < size_; ++i) {
        if (members_[i].label.text() == label) return members_[i].value;
    }
    return {};
}

std::optional<CborMap> take_cbor_map(std::string_view& bytes, std::size_t most_members) {
    CborReader reader(bytes);
    auto map = reader.map(std::min(most_members, kCborMembers), kCborDepth);
    if (map) bytes = reader.rest();
    return map;
}

}  // namespace postern::factor
