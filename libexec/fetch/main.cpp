// The program that fetches over HTTPS: an order on standard input, a reply on standard output, and it ends
// (docs/decisions/0066). It opens no configuration, no database and no key. An endpoint's child starts it
// (lib/fetch/waiter.h).
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string>

#include "confine.h"
#include "fetch/address.h"
#include "fetch/messages.h"
#include "fetch/url.h"
#include "transfer.h"

namespace {

using namespace postern;

[[gnu::used]] constexpr auto kMarker = [] {
    std::array<char, fetch::kMarkerBegins.size() + fetch::kMarkerEnds.size()> marker{};
    std::ranges::copy(fetch::kMarkerEnds, std::ranges::copy(fetch::kMarkerBegins, marker.begin()).out);
    return marker;
}();

std::string read_input() {
    std::string bytes;
    char block[4096];
    for (ssize_t got = 0; bytes.size() <= fetch::kLongestOrder; bytes.append(block, static_cast<std::size_t>(got))) {
        got = ::read(STDIN_FILENO, block, sizeof block);
        if (got <= 0) break;
    }
    return bytes;
}

/// The endpoint has looked at the URL, too; but the network reaches the endpoint.
fetch::Reply answer(const std::string& input) {
    const auto order = fetch::read_order(input);
    const auto question = order ? fetch::read_question(order->question) : std::nullopt;
    if (!question) return std::string("the fetching program was asked in a way that it does not know");
    if (const auto fault = fetch::url_fault(question->url, order->limits.ports)) return *fault;
    if (const auto fault = fetch::host_fault(fetch::host_of(question->url), order->limits.allow)) return *fault;
    start_transfers();
    confine(order->limits);
    return transfer(*question, order->limits);
}

fetch::Reply answer_or_explain(const std::string& input) {
    try {
        return answer(input);
    } catch (const std::exception& error) {
        return std::string(error.what());
    }
}

}  // namespace

int main() {
    const std::string reply = fetch::write_reply(answer_or_explain(read_input()));
    const ssize_t written = ::write(STDOUT_FILENO, reply.data(), reply.size());
    ::_exit(written == static_cast<ssize_t>(reply.size()) ? 0 : 1);  // a thread may still wait for a name server
}
