// The records of one FastCGI request and its answer: which may be believed, and what is in them.
#include "gateway/fcgi_request.h"

#include <algorithm>
#include <array>

namespace postern::gateway {
namespace {

// FastCGI 1.0 §8.
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kBegin = 1;
constexpr std::uint8_t kEnd = 3;
constexpr std::uint8_t kParams = 4;
constexpr std::uint8_t kStdin = 5;
constexpr std::uint8_t kStdout = 6;
constexpr std::size_t kBeginLength = 8;
constexpr std::size_t kFlags = 2;  // where they stand in a beginning
constexpr unsigned kKeepConnection = 1;
constexpr std::string_view kResponder("\0\1", 2);
constexpr std::string_view kComplete("\0\0\0\0\0\0\0\0", 8);  // exit status 0, FCGI_REQUEST_COMPLETE
constexpr std::size_t kLongestContent = 65528;                // what fits, and needs no padding

void append_record(std::string& records, std::uint8_t type, std::size_t id, std::string_view content) {
    const auto byte = [](std::size_t number) { return static_cast<char>(number & 0xFFU); };
    const char header[] = {static_cast<char>(kVersion),
                           static_cast<char>(type),
                           byte(id >> 8U),
                           byte(id),
                           byte(content.size() >> 8U),
                           byte(content.size()),
                           0,
                           0};
    records.append(header, sizeof header).append(content);
}

/// One of the two lengths in front of a pair (§3.4), from the beginning of bytes that are known to be good.
std::size_t take_good_length(std::string_view& bytes) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
    const bool is_long = byte(0) >= 0x80;
    const std::size_t length =
        is_long ? (byte(0) & 0x7FU) << 24U | static_cast<std::size_t>(byte(1)) << 16U | byte(2) * 256U | byte(3)
                : byte(0);
    bytes.remove_prefix(is_long ? 4 : 1);
    return length;
}

std::string_view take_prefix(std::string_view& bytes, std::size_t length) {
    const std::string_view prefix = bytes.substr(0, length);
    bytes.remove_prefix(prefix.size());
    return prefix;
}

}  // namespace

std::size_t FcgiRecord::take(std::string_view bytes) {
    const std::size_t taken = std::min(bytes.size(), missing());
    std::copy_n(bytes.begin(), taken, header_ + have_);
    have_ += taken;
    return taken;
}

FcgiHead::Verdict FcgiHead::take(std::string_view bytes) {
    while (verdict_ == Verdict::incomplete && !bytes.empty()) {
        const std::size_t allowed = kLongestHead - seen_;
        const std::size_t taken = allowed == 0 ? 0 : take_some(bytes.substr(0, allowed));
        if (taken == 0) return verdict_ = Verdict::bad;
        seen_ += taken;
        bytes.remove_prefix(taken);
        if (verdict_ == Verdict::incomplete && record_.is_known() && content_left_ == 0) verdict_ = end_record();
    }
    return verdict_;
}

/// Sets the verdict, and gives how many of the bytes it was about.
std::size_t FcgiHead::take_some(std::string_view bytes) {
    if (part_ == Part::header) {
        const std::size_t taken = record_.take(bytes);
        if (record_.is_known()) verdict_ = judge_header();
        return taken;
    }
    std::size_t& left = part_ == Part::content ? content_left_ : padding_left_;
    const std::string_view piece = bytes.substr(0, left);
    left -= piece.size();
    if (part_ == Part::content) verdict_ = has_begun_ ? take_pairs(piece) : take_beginning(piece);
    return piece.size();
}

/// A beginning, and then only variables of the same request.
FcgiHead::Verdict FcgiHead::judge_header() {
    content_left_ = record_.content();
    padding_left_ = record_.padding();
    part_ = Part::content;
    if (!has_begun_) id_ = record_.id();
    const bool expected =
        has_begun_ ? record_.type() == kParams : record_.type() == kBegin && content_left_ == kBeginLength;
    return expected && record_.version() == kVersion && record_.id() == id_ && id_ != 0 ? Verdict::incomplete
                                                                                        : Verdict::bad;
}

FcgiHead::Verdict FcgiHead::take_beginning(std::string_view piece) {
    beginning_ += piece;
    return kResponder.starts_with(std::string_view(beginning_).substr(0, kResponder.size())) ? Verdict::incomplete
                                                                                             : Verdict::bad;
}

/// §3.4: the lengths of a name and its value, and then both.
FcgiHead::Verdict FcgiHead::take_pairs(std::string_view piece) {
    variables_ += piece;
    while (!piece.empty()) {
        if (pair_ == Pair::bytes) {
            const std::string_view text = take_prefix(piece, pair_left_);
            if (text.find('\0') != text.npos) return Verdict::bad;
            pair_left_ -= text.size();
        } else if (take_length(static_cast<std::uint8_t>(take_prefix(piece, 1).front()))) {
            pair_left_ += length_;
            if (pair_left_ > kLongestHead) return Verdict::bad;
            pair_ = pair_ == Pair::name_length ? Pair::value_length : Pair::bytes;
        }
        if (pair_ == Pair::bytes && pair_left_ == 0) pair_ = Pair::name_length;
    }
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

bool FcgiHead::keeps_connection() const {
    return (static_cast<std::uint8_t>(beginning_[kFlags]) & kKeepConnection) != 0;
}

NamedValues FcgiHead::variables() const {
    NamedValues pairs;
    for (std::string_view left = variables_; !left.empty();) {
        const std::size_t name_length = take_good_length(left);
        const std::size_t value_length = take_good_length(left);
        const std::string_view name = take_prefix(left, name_length);
        pairs.emplace_back(name, take_prefix(left, value_length));
    }
    return pairs;
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
        std::array<char, 8> bytes;
        const std::size_t got = source_(bytes.data(), record.missing());
        if (got == 0) return false;
        record.take({bytes.data(), got});
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

std::string fcgi_answer(std::size_t id, std::string_view output) {
    std::string records;
    records.reserve(output.size() + output.size() / kLongestContent * 8 + 64);
    while (!output.empty()) append_record(records, kStdout, id, take_prefix(output, kLongestContent));
    append_record(records, kStdout, id, "");
    append_record(records, kEnd, id, kComplete);
    return records;
}

}  // namespace postern::gateway
