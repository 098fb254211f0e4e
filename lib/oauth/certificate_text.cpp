// Decides which texts are one certificate.
#include "oauth/certificate_text.h"

#include "util/base64.h"
#include "util/percent.h"

namespace postern::oauth {
namespace {

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
constexpr std::string_view kBlank = " \t\r\n";

std::string_view without_blanks_around(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string without_blanks(std::string_view text) {
    std::string kept;
    kept.reserve(text.size());
    for (const char c : text)
        if (kBlank.find(c) == kBlank.npos) kept += c;
    return kept;
}

}  // namespace

std::optional<std::string> read_certificate_text(std::string_view text) {
    if (text.size() > kMaxCertificateText) return std::nullopt;
    const auto decoded = util::percent_decode(text);  // no character of PEM is a percent sign
    if (!decoded) return std::nullopt;
    const std::string_view pem = without_blanks_around(*decoded);
    if (!pem.starts_with(kBegin) || !pem.ends_with(kEnd) || pem.size() < kBegin.size() + kEnd.size())
        return std::nullopt;
    const std::string base64 = without_blanks(pem.substr(kBegin.size(), pem.size() - kBegin.size() - kEnd.size()));
    auto der = util::base64_decode(base64);
    return der && !der->empty() ? der : std::nullopt;
}

}  // namespace postern::oauth
