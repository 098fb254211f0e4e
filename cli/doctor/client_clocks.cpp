// Checks which clients were refused of late because the times in what they sign do not fit the clock of this server.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "refusal/reason.h"
#include "server/refusal_ring.h"

namespace postern::cli {
namespace {

using refusal::Reason;
using server::RefusalRecord;

constexpr util::Seconds kOfLate = std::chrono::hours(24);
constexpr std::size_t kNamed = 5;

constexpr std::array kReasons = {Reason::invalid_client_assertion_time, Reason::invalid_dpop_proof_time,
                                 Reason::invalid_request_object_time};

bool is_of_clocks(const RefusalRecord& record) {
    return std::ranges::any_of(kReasons, [&](Reason reason) { return record.reason == refusal::row_of(reason).word; });
}

bool takes_signatures(const oauth::Settings& settings) {
    return settings.assertions.enabled || settings.dpop || settings.request_objects;
}

/// The refusals of one client.
struct RefusedClient {
    RefusalRecord newest;
    std::int64_t count = 0;
};

/// The clients, that of the newest refusal first.
std::vector<RefusedClient> refused_since(const std::string& ring, util::Time since) {
    std::vector<RefusedClient> clients;
    for (RefusalRecord& record : server::RefusalRing::list(ring)) {
        if (record.time < since || !is_of_clocks(record)) continue;
        auto known = std::ranges::find_if(
            clients, [&](const RefusedClient& client) { return client.newest.client_id == record.client_id; });
        if (known == clients.end()) known = clients.insert(known, {std::move(record)});
        ++known->count;
    }
    return clients;
}

void add(Findings& findings, const RefusedClient& refused) {
    const std::string& id = refused.newest.client_id;
    findings.warning("client clocks",
                     (id.empty() ? std::string("a client that is not known") : "the client " + in_quotes(id)) +
                         " signs with times that do not fit the clock of this server, and was refused " +
                         counted(refused.count, "time") + " in the last 24 hours, last at " +
                         to_text(refused.newest.time) + ": " + refused.newest.detail,
                     "let NTP set the clock of the client, and this one (`timedatectl set-ntp true`); where both are "
                     "right, the client signs long before it sends, or for too long. Of an application on devices of "
                     "its users it is the clock of one of them, or somebody who sends in its name");
}

}  // namespace

void check_client_clocks(Findings& findings, const config::Config& config) {
    if (!takes_signatures(config.settings)) return;
    const auto clients = refused_since(config.ring_path(), now() - kOfLate);
    for (std::size_t i = 0; i < std::min(clients.size(), kNamed); ++i) add(findings, clients[i]);
    if (clients.size() > kNamed)
        findings.warning("client clocks",
                         counted(static_cast<std::int64_t>(clients.size() - kNamed), "more client") +
                             " whose times do not fit the clock of this server",
                         "check the clock of this server first; `postern why --last --client ID` names each refusal");
}

}  // namespace postern::cli
