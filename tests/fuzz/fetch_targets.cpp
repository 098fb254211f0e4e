// Parsers of what the program that fetches is given and gives back.
#include <string>

#include "fetch/freshness.h"
#include "fetch/messages.h"
#include "fetch/url.h"
#include "fuzz/targets.h"

namespace postern::test {

/// What comes back through the child: its body and header fields are a stranger's.
void fuzz_fetch_reply(std::string_view input) {
    const auto reply = fetch::read_reply(input);
    if (!reply) {
        promise(!reply.error().empty(), "a failure has a reason");
        return;
    }
    promise(reply->body.size() <= input.size(), "a body is a part of the bytes");
    const auto again = fetch::read_reply(fetch::write_reply(*reply));
    promise(again && again->body == reply->body && again->status == reply->status, "a reply is read as it was written");
    const auto fresh = fetch::freshness(*reply, util::from_epoch(784123140));
    promise(fresh >= fetch::kShortestFreshness && fresh <= fetch::kLongestFreshness, "freshness has bounds");
}

/// What the program reads: the endpoint's question behind its limits.
void fuzz_fetch_order(std::string_view input) {
    const auto order = fetch::read_order(input);
    if (!order) return;
    const auto again = fetch::read_order(fetch::write_order(*order));
    promise(again && again->limits.allow.size() == order->limits.allow.size(), "an order is read as it was written");
    const auto question = fetch::read_question(order->question);
    if (!question || fetch::url_fault(question->url, order->limits.ports)) return;
    promise(question->url.size() <= fetch::kLongestUrl, "a URL without fault is short");
    promise(!fetch::host_of(question->url).empty(), "a URL without fault has a host");
}

}  // namespace postern::test
