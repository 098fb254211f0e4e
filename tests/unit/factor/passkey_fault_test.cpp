#include "factor/passkey_fault.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace postern;
using factor::PasskeyFault;

TEST_CASE("describe: a sentence of its own for each fault [WEBAUTHN-18]") {
    constexpr int kFaults = static_cast<int>(PasskeyFault::signature) + 1;
    std::set<std::string_view> sentences;
    for (int fault = 0; fault < kFaults; ++fault) {
        const std::string_view sentence = factor::describe(static_cast<PasskeyFault>(fault));
        CAPTURE(sentence);
        CHECK(sentence.starts_with("the "));
        CHECK_FALSE(sentence.ends_with('.'));
        sentences.insert(sentence);
    }
    CHECK(sentences.size() == kFaults);
    CHECK_FALSE(sentences.contains("the passkey was refused"));
    CHECK(factor::describe(PasskeyFault::challenge) == "the challenge is not the one that was given");
}
