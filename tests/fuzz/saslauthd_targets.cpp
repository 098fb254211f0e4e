// What listens where saslauthd should.
#include <string>

#include "fuzz/targets.h"
#include "login/saslauthd.h"

namespace postern::test {

void fuzz_saslauthd_reply(std::string_view input) {
    using login::SaslauthdReply;
    const SaslauthdReply reply = login::parse_saslauthd_reply(input);
    const SaslauthdReply longer = login::parse_saslauthd_reply(std::string(input) + 'x');
    if (reply == SaslauthdReply::incomplete) {
        promise(input.size() < login::kLongestSaslauthdReply, "the longest reply is complete");
        return;
    }
    promise(longer == SaslauthdReply::unusable, "nothing can be added to what is complete");
    if (reply == SaslauthdReply::unusable) return;
    promise(input.size() >= 4 && input.size() <= login::kLongestSaslauthdReply, "an answer has bounds");
    promise(input.substr(2, 2) == (reply == SaslauthdReply::yes ? "OK" : "NO"), "an answer begins with its word");
    promise(login::parse_saslauthd_reply(input.substr(0, input.size() - 1)) == SaslauthdReply::incomplete,
            "each byte counts");
}

}  // namespace postern::test
