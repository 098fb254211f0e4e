// Reads the CBOR that authenticators send (RFC 8949): maps whose every item has one spelling.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace postern::factor {

inline constexpr std::size_t kCborDepth = 4;     ///< of maps and arrays in each other
inline constexpr std::size_t kCborMembers = 32;  ///< of a map; elements of an array

enum class CborType { none, unsigned_integer, negative_integer, bytes, text, array, map, simple };

/// A data item, which points into the bytes that it was read from.
class CborItem {
public:
    CborItem() = default;
    CborItem(CborType type, std::uint64_t argument, std::string_view content = {})
        : type_(type), argument_(argument), content_(content) {}

    CborType type() const { return type_; }

    /// Each is nullopt when the item is of another type; integers also beyond 64 bits with a sign.
    std::optional<std::int64_t> integer() const;
    std::optional<std::string_view> bytes() const;
    std::optional<std::string_view> text() const;

    bool operator==(const CborItem&) const = default;

private:
    CborType type_ = CborType::none;
    std::uint64_t argument_ = 0;  // RFC 8949 §3: of a negative integer n it is -1-n
    std::string_view content_;    // of bytes and text
};

class CborMap {
public:
    /// The member's value, or an item of type none.
    CborItem find(std::int64_t label) const;
    CborItem find(std::string_view label) const;
    std::size_t size() const { return size_; }

private:
    friend class CborReader;
    struct Member {
        CborItem label, value;
    };
    bool add(const Member& member);

    std::array<Member, kCborMembers> members_;
    std::size_t size_ = 0;
};

/// Takes the map at the front of `bytes` off them. nullopt, and `bytes` unchanged, for anything else and for: an
/// indefinite length, a length or integer that is not in its shortest form, a tag, a float, a simple value other than
/// false, true and null, text that is not UTF-8, a label that is neither integer nor text, one label twice, more than
/// `most_members` members here or kCborMembers further inside, more than kCborDepth levels, and an end too early.
/// Allocates nothing: a length is believed when its bytes are there.
std::optional<CborMap> take_cbor_map(std::string_view& bytes, std::size_t most_members = kCborMembers);

}  // namespace postern::factor
