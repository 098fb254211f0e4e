// Parsers of JSON: the reader, the configuration, key sets.
#include <string>

#include "config/config.h"
#include "fuzz/targets.h"
#include "jose/jwk.h"
#include "json/reader.h"
#include "json/writer.h"

namespace postern::test {

FUZZ_TARGET(json) {
    for (const json::Dialect dialect : {json::Dialect::strict, json::Dialect::relaxed}) {
        const auto value = json::parse(input, dialect);
        if (!value) {
            promise(!value.error().reason.empty(), "a refusal has a reason");
            continue;
        }
        const std::string written = json::write(*value);
        // Escapes may make it longer than what was read.
        const auto again = json::parse(written, json::Dialect::strict, {.bytes = written.size()});
        promise(again && json::write(*again) == written, "what was read and written is read as the same");
    }
}

FUZZ_TARGET(config) {
    const auto config = config::parse_config(input);
    if (!config) {
        promise(!config.error().empty(), "a refused configuration has problems");
        return;
    }
    promise(config->settings.issuer.starts_with("http"), "the issuer is a URL");
    promise(!config->settings.issuer.ends_with("/"), "the issuer has no slash at its end");
    promise(config->settings.authorization_code_ttl.count() >= 1, "a lifetime is at least a second");
}

FUZZ_TARGET(jwk_set) {
    const auto set = jose::parse_jwk_set(input);
    if (!set) return;
    const std::string written = json::write(jose::to_json(*set));
    const auto again = jose::parse_jwk_set(written);
    promise(again && json::write(jose::to_json(*again)) == written, "a key set that was read can be published");
    promise(written.find("\"d\":") == std::string::npos, "a published set has no private member");
}

}  // namespace postern::test
