// Parsers of what others sign, and of the keys with which they do.
#include <array>
#include <string>

#include "crypto/certificate.h"
#include "fuzz/targets.h"
#include "jose/client_keys.h"
#include "jose/foreign_claims.h"
#include "jose/foreign_jwt.h"
#include "oauth/certificate_text.h"

namespace postern::test {
namespace {

using crypto::Algorithm;

constexpr std::array<std::string_view, 1> kTypes = {"jwt"};
constexpr std::array kAlgorithms = {Algorithm::ES256, Algorithm::PS256, Algorithm::EdDSA, Algorithm::RS256};
constexpr util::Time kNow = util::from_epoch(1'800'000'000);

}  // namespace

FUZZ_TARGET(client_keys) {
    const auto keys = jose::parse_client_keys(input);
    if (!keys) {
        promise(!keys.error().empty(), "a set that is refused has a problem");
        return;
    }
    promise(!keys->empty() && keys->size() <= jose::kMaxClientKeys, "a set has a few keys");
    const std::string written = jose::write_client_keys(*keys);
    promise(written.size() <= jose::kMaxUsableKeysBytes, "what is kept of a set is short");
    promise(written.find("\"d\":") == std::string::npos, "a set has no private member");
    const auto again = jose::parse_client_keys(written);
    promise(again && jose::write_client_keys(*again) == written, "a set that was read can be read again");
}

FUZZ_TARGET(certificate_text) {
    const auto der = oauth::read_certificate_text(input);
    if (!der) return;
    promise(input.size() <= oauth::kMaxCertificateText && der->size() < input.size(),
            "a certificate is shorter than its text");
    const auto certificate = crypto::Certificate::from_der(*der);
    if (!certificate) return;
    promise(certificate->digest().size() == 32, "a digest has 32 bytes");
    promise(!certificate->has_name({crypto::NameKind::san_dns, "*.robots.example"}), "a wildcard is no name");
    promise(certificate->has_name({crypto::NameKind::subject_dn, "CN=robot"}) ==
                certificate->has_name({crypto::NameKind::subject_dn, "cn=ROBOT"}),
            "names are compared as names");
}

FUZZ_TARGET(foreign_jwt) {
    auto jwt = jose::parse_foreign_jwt(input, {8192, kTypes, true, kAlgorithms});
    if (!jwt) {
        promise(!jwt.error().empty() && jwt.error().size() < 300, "a JWT that is refused has a short fault");
        return;
    }
    promise(input.starts_with(jwt->signed_text), "the signed text is what was sent");
    jose::verify_in_vain(*jwt);
    if (jose::check_times(jwt->claims, kNow, util::Seconds(30))) {
        const auto exp = jose::find_time(jwt->claims, "exp");
        promise(!exp || *exp + jose::kExpiryGrace > kNow, "a JWT whose times are good has not expired");
    }
    if (const auto aud = jose::find_audience(jwt->claims)) promise(!aud->values.empty(), "an audience has a value");
    promise(!jose::verify_foreign_jwt(std::move(*jwt), {}), "no signature is of no key");
}

}  // namespace postern::test
