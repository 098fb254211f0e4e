// Whether the head of a FastCGI request, its beginning and its variables, is one that the FastCGI library can read.
#include "server/fcgi_head.h"

namespace postern::server {
namespace {

// FastCGI 1.0 §8.
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kBegin = 1;
constexpr std::uint8_t kParams = 4;
constexpr std::size_t kBeginLength = 8;

}  // namespace

FcgiHead::Verdict FcgiHead::take(std::string_view bytes) {
    while (verdict_ == Verdict::incomplete && !bytes.empty()) {
        const auto byte = static_cast<std::uint8_t>(bytes.front());
        bytes.remove_prefix(1);
        if (++seen_ > kLongestHead) return verdict_ = Verdict::bad;
        switch (part_) {
            case Part::header:
                header_[have_++] = byte;
                if (have_ == sizeof header_) verdict_ = take_header();
                break;
            case Part::content:
                --content_left_;
                verdict_ = take_content(byte);
                break;
            case Part::padding:
                --padding_left_;
                break;
        }
        if (verdict_ == Verdict::incomplete && have_ == sizeof header_ && content_left_ == 0) verdict_ = end_record();
    }
    return verdict_;
}

/// A beginning, and then only variables of the same request.
FcgiHead::Verdict FcgiHead::take_header() {
    content_left_ = header_[4] * 256U + header_[5];
    padding_left_ = header_[6];
    part_ = Part::content;
    if (header_[0] != kVersion) return Verdict::bad;
    if (!has_begun_) {
        id_[0] = header_[2];
        id_[1] = header_[3];
        const bool begins = header_[1] == kBegin && content_left_ == kBeginLength && (id_[0] != 0 || id_[1] != 0);
        return begins ? Verdict::incomplete : Verdict::bad;
    }
    const bool goes_on = header_[1] == kParams && header_[2] == id_[0] && header_[3] == id_[1];
    return goes_on ? Verdict::incomplete : Verdict::bad;
}

/// §3.4: the lengths of a name and its value, and then both.
FcgiHead::Verdict FcgiHead::take_content(std::uint8_t byte) {
    if (!has_begun_) return Verdict::incomplete;
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
    const bool was_empty = header_[4] == 0 && header_[5] == 0;
    const bool between_pairs = pair_ == Pair::name_length && length_left_ == 0;
    if (has_begun_ && was_empty) return between_pairs ? Verdict::good : Verdict::bad;
    has_begun_ = true;
    part_ = Part::header;
    have_ = 0;
    return Verdict::incomplete;
}

}  // namespace postern::server
