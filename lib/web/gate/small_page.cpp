// Makes pages of the gate small.
#include "web/gate/small_page.h"

#include <string>
#include <string_view>
#include <utility>

#include "crypto/digest.h"
#include "util/base64.h"
#include "util/utf8.h"

namespace postern::web {
namespace {

constexpr std::string_view kBegin = "<style>";
constexpr std::string_view kEnd = "</style>";
constexpr std::string_view kStyle =
    ":root{color-scheme:light dark}body{margin:0;font:1rem/1.5 system-ui,sans-serif}"
    ".card{max-width:27rem;margin:8vh auto;padding:0 1rem}svg{width:4rem;height:auto}h1{font-size:1.5rem}h2{font-size:1rem}"
    ".button{display:block;margin:1rem 0;padding:.7rem 1rem;border:1px solid;border-radius:.5rem;text-align:center;"
    "text-decoration:none;color:inherit}code{overflow-wrap:anywhere}dd{margin:0}";

/// The text with everything beyond ASCII as character references.
std::string in_ascii(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto next = util::next_utf8(text);
        const std::string_view bytes = text.substr(0, next.length);
        if (next.code_point && *next.code_point >= 0x80)
            out.append("&#").append(std::to_string(static_cast<std::uint32_t>(*next.code_point))).append(";");
        else
            out.append(bytes);
        text.remove_prefix(bytes.size());
    }
    return out;
}

/// The policy allows the one style sheet whose digest it names.
void allow_style(http::Response& page) {
    const std::string* policy = page.find("Content-Security-Policy");
    if (!policy) return;
    constexpr std::string_view kStyleSource = "style-src '";
    const std::size_t from = policy->find(kStyleSource);
    if (from == policy->npos) return;
    const std::size_t hash = from + kStyleSource.size();
    const std::string digest = "sha256-" + util::base64_encode(crypto::sha256(kStyle));
    page.set("Content-Security-Policy", policy->substr(0, hash) + digest + policy->substr(policy->find('\'', hash)));
}

}  // namespace

http::Response small_page(http::Response page) {
    const std::size_t begin = page.body.find(kBegin);
    const std::size_t end = begin == page.body.npos ? begin : page.body.find(kEnd, begin);
    if (end == page.body.npos) return page;
    const std::string behind = page.body.substr(end);
    page.body = in_ascii(page.body.substr(0, begin + kBegin.size()) + std::string(kStyle) + behind);
    allow_style(page);
    return page;
}

}  // namespace postern::web
