// The form that adds a passkey.
#include "support/passkey_set_up.h"

#include <doctest/doctest.h>

#include <utility>

#include "json/reader.h"
#include "support/app_set_up.h"
#include "support/html.h"
#include "util/base64.h"

namespace postern::test {
namespace {

std::string bytes_of(const json::Value& text) { return util::base64url_decode(*text.if_string()).value(); }

}  // namespace

Adding::Adding(Answer shown) : page(std::move(shown)) {
    REQUIRE(page.status == 200);
    for (const Attributes& form : find_tags(page.body, "form"))
        if (const auto found = form.find("data-options"); found != form.end()) {
            const auto value = json::parse(found->second);
            REQUIRE(bool(value));
            options = *value->if_object();
        }
    REQUIRE_MESSAGE(options.find("challenge"), page.body);
    challenge = bytes_of(*options.find("challenge"));
    handle = bytes_of(*options.find("user")->if_object()->find("id"));
}

factor::Expected Adding::given() const { return {challenge, "https://op.example", "op.example"}; }

Query Adding::form(const Registration& made) const {
    Query fields{{"csrf", value_of(page, "csrf")},
                 {"challenge", value_of(page, "challenge")},
                 {"id", util::base64url_encode(made.id)},
                 {"client_data", util::base64url_encode(made.client_data)},
                 {"attestation_object", util::base64url_encode(made.attestation_object)},
                 {"transports", "internal hybrid"},
                 {"discoverable", "yes"},
                 {"name", "My phone"}};
    const std::string resume = value_of(page, "resume");
    return resume.empty() ? fields : fields.with("resume", resume);
}

}  // namespace postern::test
