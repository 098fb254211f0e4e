// bench/fill: puts live tokens into a database, so that it is as large as one that has been in use for long.
//
//   fill DATABASE CLIENT SUBJECT TOKENS LIFETIME
//
// Half of the TOKENS are access tokens and half are refresh tokens, one of each under a grant of its own that SUBJECT
// gave CLIENT; they live for LIFETIME seconds, or up to a minute less; below zero they have ended. Nobody has the
// tokens themselves. Their grants stand between the grants that are there already, as many between any two, so that
// what is looked up later stands anywhere among them, as if its grant had been made at any time. They end in the order
// in which they stand, as tokens of one lifetime do.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "db/maintenance.h"
#include "store/access_tokens.h"
#include "store/grants.h"
#include "store/refresh_tokens.h"
#include "util/clock.h"

namespace {

using namespace postern;

constexpr std::uint64_t kGrantsPerCommit = 5000;
constexpr std::uint64_t kEnds = 60;           // seconds in which they end
constexpr std::chrono::minutes kPatience{1};  // a server runs all statements of a commit before it answers

/// The number `i` of `count`, as the beginning of a value that could be any: 16 of its hexadecimal digits, then zeros.
std::string spread(std::uint64_t i, std::uint64_t count, std::size_t length) {
    const unsigned long long step = UINT64_MAX / count;
    std::array<char, 17> digits;
    std::snprintf(digits.data(), digits.size(), "%016llx", i * step);
    std::string text(digits.data());
    text.resize(length, '0');
    return text;
}

struct Plan {
    model::ClientId client;
    model::Subject subject;
    std::uint64_t grants;
    std::vector<std::string> before;  ///< ids of the grants that were there, in their order; never empty
    util::Time begin;
    util::Time end;
};

void add(db::Transaction& transaction, const Plan& plan, std::uint64_t i) {
    const util::Time end = plan.end - util::Seconds(kEnds - 1 - i * kEnds / plan.grants);
    model::Grant grant;
    const auto place = static_cast<std::size_t>(i * plan.before.size() / plan.grants);
    grant.id = model::GrantId(plan.before[place] + "." + spread(i, plan.grants, 16));
    grant.client_id = plan.client;
    grant.subject = plan.subject;
    grant.scope = model::Scope::parse("api").value();
    grant.auth_time = plan.begin;
    grant.sid = model::Sid(spread(i, plan.grants, 22));
    grant.created_at = plan.begin;
    store::insert_grant(transaction, grant);

    model::AccessToken access;
    access.token_hash = model::ValueHash(spread(i, plan.grants, 64));
    access.jti = grant.id.str() + "." + grant.id.str();
    access.grant_id = grant.id;
    access.scope = grant.scope;
    access.issued_at = plan.begin;
    access.expires_at = end;
    store::insert_access_token(transaction, access);

    model::RefreshToken refresh;
    refresh.token_hash = access.token_hash;
    refresh.grant_id = grant.id;
    refresh.issued_at = plan.begin;
    refresh.expires_at = end;
    store::insert_refresh_token(transaction, refresh);
}

std::vector<std::string> ids_in_order(db::Database& database) {
    std::vector<std::string> ids;
    auto rows = database.prepare("SELECT id FROM grants ORDER BY id");
    while (rows.step()) ids.push_back(rows.text(0));
    if (ids.empty()) ids.emplace_back();
    return ids;
}

void fill(const char* path, Plan plan) {
    db::Database database(path, db::Access::read_write, kPatience);
    plan.before = ids_in_order(database);
    for (std::uint64_t i = 0; i < plan.grants;) {
        db::Transaction transaction(database, db::Durability::lazy);
        for (std::uint64_t n = 0; n < kGrantsPerCommit && i < plan.grants; ++n, ++i) add(transaction, plan, i);
        transaction.commit();
        db::checkpoint_if_due(database);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: fill DATABASE CLIENT SUBJECT TOKENS LIFETIME\n");
        return 2;
    }
    try {
        const util::Time now = util::SystemClock().now();
        const util::Time end = now + util::Seconds(std::atoll(argv[5]));
        const util::Time begin = std::min(now, end - util::Seconds(kEnds));
        const auto grants = std::strtoull(argv[4], nullptr, 10) / 2;
        fill(argv[1], {model::ClientId(argv[2]), model::Subject(argv[3]), grants, {}, begin, end});
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fill: %s\n", error.what());
        return 1;
    }
}
