// Encodes what a browser asked for, so that an answer can lead it back there and nowhere else.
#include "gate/location.h"

#include "util/percent.h"
#include "util/text.h"

namespace postern::gate {
namespace {

/// Encodes what is not `allowed`, which has all unreserved marks; a percent sign with two digits stays.
std::string encode(std::string_view text, std::string_view allowed) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool stays = util::is_letter(c) || util::is_digit(c) || allowed.find(c) != allowed.npos ||
                           (c == '%' && util::percent_byte(text, i));
        if (stays)
            out += c;
        else
            out += util::percent_encode(text.substr(i, 1));
    }
    return out;
}

}  // namespace

Target split_target(std::string_view text) {
    const std::size_t mark = text.find('?');
    return {text.substr(0, mark), mark == text.npos ? std::string_view() : text.substr(mark + 1)};
}

std::string encode_path(std::string_view path) {
    std::string encoded = encode(path, "-._~!$&'()*+,;=:@/");
    const std::size_t slashes = encoded.find_first_not_of('/');
    if (slashes == encoded.npos) return "/";
    return "/" + encoded.substr(slashes);
}

std::string encode_query(std::string_view query) { return encode(query, "-._~!$&'()*+,;=:@/?"); }

std::string location_of(const Target& target) {
    const std::string path = encode_path(target.path);
    return target.query.empty() ? path : path + "?" + encode_query(target.query);
}

}  // namespace postern::gate
