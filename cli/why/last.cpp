// `postern why --last`: which refusal was the application's?
#include <algorithm>
#include <iostream>
#include <iterator>

#include "cli/output.h"
#include "cli/why/explain.h"
#include "cli/why/match.h"
#include "cli/why/why.h"
#include "server/refusal_ring.h"

namespace postern::cli {
namespace {

using server::RefusalRecord;
using Records = std::vector<RefusalRecord>;

constexpr std::size_t kMostRows = 20;

/// Refusals of one client for one reason.
struct Group {
    RefusalRecord newest;
    std::int64_t count = 1;
};

/// The groups of `records`, in the order of their newest ones.
std::vector<Group> grouped(const Records& records) {
    std::vector<Group> groups;
    for (const RefusalRecord& record : records) {
        const auto known = std::ranges::find_if(groups, [&](const Group& group) {
            return group.newest.reason == record.reason && group.newest.client_id == record.client_id;
        });
        if (known == groups.end())
            groups.push_back({record});
        else
            ++known->count;
    }
    return groups;
}

json::Object to_json(const Group& group) {
    return {{"refusals", group.count},
            {"time", util::to_epoch(group.newest.time)},
            {"error", group.newest.error},
            {"reason", group.newest.reason},
            {"client_id", group.newest.client_id},
            {"request_id", group.newest.request_id}};
}

std::string in_minutes(std::chrono::minutes time) { return "in the last " + counted(time.count(), "minute"); }

void print_others(const std::vector<Group>& groups, std::size_t others, std::chrono::minutes time) {
    if (groups.empty()) return;
    std::cout << "\n"
              << counted(static_cast<std::int64_t>(others), "other refusal") << ' ' << in_minutes(time) << ":\n";
    std::vector<std::vector<std::string>> rows;
    for (const Group& group : groups) {
        if (rows.size() == kMostRows) break;
        rows.push_back({std::to_string(group.count), to_text(group.newest.time), group.newest.reason,
                        group.newest.client_id, group.newest.request_id});
    }
    print_table({"refusals", "newest", "reason", "client", "request"}, rows);
    if (groups.size() > kMostRows)
        std::cout << "and " << counted(static_cast<std::int64_t>(groups.size() - kMostRows), "other kind")
                  << "; --client shows those of one client\n";
}

/// ` of the client "wiki" and the user "ada"`
std::string in_words(const RefusalFilter& filter) {
    std::string words;
    if (filter.client) words += " of the client " + in_quotes(*filter.client);
    if (filter.user) words += (filter.client ? " and the user " : " of the user ") + in_quotes(*filter.user);
    return words;
}

/// Returns the end of the sentence that no refusal matches: it names the newest older match, or counts the others.
/// `all` holds the records of any time, the newest first.
std::string instead(const Records& all, const Match& match, util::Time since) {
    const auto older = std::ranges::find_if(all, match);
    if (older != all.end())
        return "; the newest is of " + to_text(older->time) + ", with the request id " + older->request_id;
    const auto others = std::ranges::count_if(all, [&](const auto& record) { return record.time >= since; });
    if (others == 0) return "";
    return "; without the filter " + counted(others, "refusal") +
           " would be shown: one that comes early names no user, and perhaps no client";
}

Refused nothing_found(const config::Config& config, const RefusalFilter& filter, std::chrono::minutes time,
                      const std::string& instead) {
    return Refused("no refusal" + in_words(filter) + " " + in_minutes(time) + " is recorded in " + config.ring_path() +
                   instead + ": the request may have succeeded (" + kIfApplicationRefuses +
                   "), it may have reached another " + (config.node.empty() ? "server" : "node or server") +
                   ", or the serving process cannot write that file");
}

}  // namespace

void why_last(const Invocation& invocation, const config::Config& config, const RefusalFilter& filter,
              std::chrono::minutes time) {
    const Match match = match_of(config, filter);
    const util::Time since = now() - time;
    const Records all = server::RefusalRing::list(config.ring_path());
    Records found;
    std::ranges::copy_if(all, std::back_inserter(found),
                         [&](const RefusalRecord& record) { return record.time >= since && match(record); });
    if (found.empty()) throw nothing_found(config, filter, time, instead(all, match, since));

    const Listing newest = listing_of(explain(config, found.front()));
    found.erase(found.begin());
    const std::vector<Group> others = grouped(found);
    if (!invocation.json) {
        print_lines(newest);
        return print_others(others, found.size(), time);
    }
    json::Array array;
    for (const Group& group : others) array.emplace_back(to_json(group));
    json::Object object = members_of(newest);
    object.set("others", std::move(array));
    print_json(object);
}

}  // namespace postern::cli
