// The values that sample pages share.
#include "cli/pages/sample_values.h"

#include "text/shown_time.h"
#include "util/clock.h"

namespace postern::cli {
namespace {

constexpr util::Time kMoment = util::from_epoch(1777800600);
constexpr const char* kCreation =
    R"({"challenge":"AAAA","rp":{"name":"id.example.org"},"user":{"id":"AAAA","name":"ada","displayName":"Ada"},)"
    R"("pubKeyCredParams":[{"type":"public-key","alg":-7}],"excludeCredentials":[]})";

/// In the place of a QR code, which this program does not draw: the three corners of one.
constexpr const char* kPicture =
    "M4 4h7v7h-7zM5 5v5h5v-5zM6 6h3v3h-3zM18 4h7v7h-7zM19 5v5h5v-5zM20 6h3v3h-3zM4 18h7v7h-7zM5 19v5h5v-5zM6 20h3v3h-3z";

}  // namespace

text::Message sample_client() { return text::Message::verbatim("Our wiki"); }
text::Message sample_day() { return text::shown_day(kMoment); }
text::Message sample_time() { return text::shown_time(kMoment); }

login::NewPasskey sample_passkey() {
    return {kCreation, "sample", text::Message("Passkey, {date}", {{"date", sample_day()}})};
}

web::AppKey sample_key() {
    return {.text = "JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP",
            .link = "otpauth://totp/sample:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
            .path = kPicture,
            .size = "29",
            .sealed = "sample"};
}

}  // namespace postern::cli
