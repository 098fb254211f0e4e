// `postern why --follow`: shows each refusal while somebody tries.
#include <chrono>
#include <iostream>
#include <thread>

#include "cli/output.h"
#include "cli/why/explain.h"
#include "cli/why/match.h"
#include "cli/why/why.h"
#include "json/writer.h"
#include "server/refusal_ring.h"

namespace postern::cli {
namespace {

constexpr std::chrono::milliseconds kPause{250};

void show(const Invocation& invocation, const Listing& refusal) {
    if (!invocation.json) print_lines(refusal);
    std::cout << (invocation.json ? json::write(members_of(refusal)) : "") << '\n';
}

/// Notes how many records were overwritten since the last look.
void tell_lost(std::uint64_t& told, std::uint64_t lost) {
    if (lost > told)
        print_note("overwritten before they could be shown: " + std::to_string(lost - told) +
                   "; the log has a line refused for each");
    told = lost;
}

}  // namespace

void follow_refusals(const Invocation& invocation, const config::Config& config, const RefusalFilter& filter) {
    const Match match = match_of(config, filter);
    server::RefusalTail tail(config.ring_path());
    std::uint64_t told = 0;
    print_note("refusals are shown as they happen; Ctrl-C ends this");
    for (;;) {
        for (server::RefusalRecord& record : tail.take_new())
            if (match(record)) show(invocation, listing_of(explain(config, std::move(record))));
        tell_lost(told, tail.lost());
        if (!std::cout.flush()) return;
        std::this_thread::sleep_for(kPause);
    }
}

}  // namespace postern::cli
