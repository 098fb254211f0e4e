// The records of one FastCGI request as they come from a socket: which may be believed, and what is in them.
#include "server/fcgi_request.h"

#include <algorithm>
#include <array>

namespace postern::server {
namespace {

// FastCGI 1.0 §8.
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kBegin = 1;
constexpr std::uint8_t kParams = 4;
constexpr std::uint8_t kStdin = 5;
constexpr std::size_t kBeginLength = 8;
constexpr std::string_view kResponder("\0\1", 2);
constexpr std::size_t kLongestContent = 65535;

std::string record_of(std::uint8_t type, std::size_t id, std::string_view content) {
    const auto byte = [](std::size_t number) { return static_cast<char>(number & 0xFFU); };
    return std::string{static_cast<char>(kVersion),
                       static_cast<char>(type),
                       byte(id >> 8U),
                       byte(id),
                       byte(content.size() >> 8U),
                       byte(content.size()),
                       0,
                       0}
        .append(content);
}

}  // namespace

bool FcgiRecord::take(std::uint8_t byte) {
    header_[have_++] = byte;
    return is_known();
}

FcgiHead::Verdict FcgiHead::take(std::string_view bytes) {
    while (verdict_ == Verdict::incomplete && !bytes.empty()) {
        const auto byte = static_cast<std::uint8_t>(bytes.front());
        bytes.remove_prefix(1);
        if (++seen_ > kLongestHead) return verdict_ = Verdict::bad;
        switch (part_) {
            case Part::header:
                verdict_ = take_header(byte);
                break;
            case Part::content:
                --content_left_;
                verdict_ = take_content(byte);
                break;
            case Part::padding:
                --padding_left_;
                break;
        }
        if (verdict_ == Verdict::incomplete && record_.is_known() && content_left_ == 0) verdict_ = end_record();
    }
    return verdict_;
}

/// A beginning, and then only variables of the same request.
FcgiHead::Verdict FcgiHead::take_header(std::uint8_t byte) {
    if (!record_.take(byte)) return Verdict::incomplete;
    content_left_ = record_.content();
    padding_left_ = record_.padding();
    part_ = Part::content;
    if (!has_begun_) id_ = record_.id();
    const bool expected =
        has_begun_ ? record_.type() == kParams : record_.type() == kBegin && content_left_ == kBeginLength;
    return expected && record_.version() == kVersion && record_.id() == id_ && id_ != 0 ? Verdict::incomplete
                                                                                        : Verdict::bad;
}

FcgiHead::Verdict FcgiHead::take_content(std::uint8_t byte) {
    if (has_begun_) return take_pair(byte);
    beginning_ += static_cast<char>(byte);
    return kResponder.starts_with(std::string_view(beginning_).substr(0, kResponder.size())) ? Verdict::incomplete
                                                                                             : Verdict::bad;
}

/// §3.4: the lengths of a name and its value, and then both.
FcgiHead::Verdict FcgiHead::take_pair(std::uint8_t byte) {
    variables_ += static_cast<char>(byte);
    if (pair_ == Pair::bytes) {
        --pair_left_;
    } else if (take_length(byte)) {
        pair_left_ += length_;
        if (pair_left_ > kLongestHead) return Verdict::bad;
        pair_ = pair_ == Pair::name_length ? Pair::value_length : Pair::bytes;
    }
    if (pair_ == Pair::bytes && pair_left_ == 0) pair_ = Pair::name_length;
    return Verdict::incomplete;
}

/// One byte, or four with the highest bit of the first set. True: that was its last.
bool FcgiHead::take_length(std::uint8_t byte) {
    if (length_left_ > 0) {
        length_ = length_ * 256 + byte;
        return --length_left_ == 0;
    }
    length_ = byte & 0x7FU;
    length_left_ = byte < 0x80 ? 0 : 3;
    return length_left_ == 0;
}

/// An empty record of variables ends them (§3.3), and where they end one must be whole.
FcgiHead::Verdict FcgiHead::end_record() {
    if (padding_left_ > 0) {
        part_ = Part::padding;
        return Verdict::incomplete;
    }
    const bool between_pairs = pair_ == Pair::name_length && length_left_ == 0;
    if (has_begun_ && record_.content() == 0) return between_pairs ? Verdict::good : Verdict::bad;
    has_begun_ = true;
    part_ = Part::header;
    record_.begin_next();
    return Verdict::incomplete;
}

std::string FcgiHead::rewritten() const {
    std::string head = record_of(kBegin, id_, beginning_);
    for (std::string_view left = variables_; !left.empty();) {
        const std::string_view piece = left.substr(0, kLongestContent);
        head += record_of(kParams, id_, piece);
        left.remove_prefix(piece.size());
    }
    return head + record_of(kParams, id_, "");
}

std::optional<std::size_t> FcgiBody::read(char* buffer, std::size_t size) {
    while (!broken_ && !ended_ && content_left_ == 0) broken_ = !begin_record();
    if (broken_) return std::nullopt;
    if (ended_) return 0;
    const std::size_t got = source_(buffer, std::min(size, content_left_));
    content_left_ -= got;
    broken_ = got == 0 || (content_left_ == 0 && !skip_padding());
    return got == 0 ? std::nullopt : std::optional(got);
}

/// False: what came is not the next record of this body.
bool FcgiBody::begin_record() {
    FcgiRecord record;
    while (!record.is_known()) {
        char byte = 0;
        if (source_(&byte, 1) == 0) return false;
        record.take(static_cast<std::uint8_t>(byte));
    }
    if (record.version() != kVersion || record.type() != kStdin || record.id() != id_) return false;
    content_left_ = record.content();
    padding_left_ = record.padding();
    if (content_left_ > 0) return true;
    ended_ = skip_padding();
    return ended_;
}

bool FcgiBody::skip_padding() {
    std::array<char, 256> unused;
    while (padding_left_ > 0) {
        const std::size_t got = source_(unused.data(), padding_left_);
        if (got == 0) return false;
        padding_left_ -= got;
    }
    return true;
}

}  // namespace postern::server
