// Sends the logout tokens that wait.
#include "cli/session/deliver.h"

#include <array>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/audit.h"
#include "cli/session/posts.h"
#include "db/write.h"
#include "fetch/allowed.h"
#include "keys/keys.h"
#include "oidc/logout_token.h"
#include "os/held_signals.h"
#include "store/clients.h"
#include "store/logout_outbox.h"

namespace postern::cli {
namespace {

using store::DueNotice;
using store::LogoutNotice;
using Clock = std::chrono::steady_clock;

constexpr int kBatch = 100;
constexpr std::size_t kMostAtOnce = 8;
constexpr std::size_t kMostOfHost = 2;      // at once
constexpr std::size_t kMostWaiting = 1000;  // in memory
constexpr std::size_t kWaitingOfHost = 50;  // so that one host does not fill it
/// A run ends after 50 s: a try takes 5 s, and the program that makes it 8 s at most.
constexpr std::chrono::seconds kLastStart{42};
/// From each try to the next; behind the last one the row is given up (BCL-5).
constexpr std::array<util::Seconds, 4> kRetries = {std::chrono::seconds(60), std::chrono::seconds(600),
                                                   std::chrono::seconds(3600), std::chrono::seconds(60)};

constexpr int kRefused = 400;  // the receiver has read it, and will not take it (§2.8)

bool is_success(int status) { return status == 200 || status == 204; }

class Deliverer {
public:
    Deliverer(const Invocation& invocation, const config::Config& config, db::Database& database)
        : invocation_(invocation),
          config_(config),
          keys_(config.keys, keys::KeyUse::sign, false),
          database_(database),
          posts_(config.settings.outbound) {}

    DeliveredLogouts run() {
        const os::HeldSignals signals;  // what was sent is noted as sent
        for (;;) {
            const bool may_start = !signals.arrived() && Clock::now() < last_start_;
            if (may_start) {
                read_more();
                start_some();
            }
            if (posts_.count() == 0 && (!may_start || (waiting_.empty() && is_at_end_))) return done_;
            if (posts_.count() == 0) continue;
            for (const Posts::Answered& answered : posts_.wait()) settle(answered);
        }
    }

private:
    /// Reads further rows, as long as there is room for them. What is not for sending is settled at once.
    void read_more() {
        while (!is_at_end_ && waiting_.size() < kMostWaiting) {
            const auto due = store::find_due_notices(database_, place_, now(), kBatch);
            is_at_end_ = due.size() < static_cast<std::size_t>(kBatch);
            for (const DueNotice& each : due) {
                place_ = {each.notice.not_before, each.notice.id};
                take(each);
            }
        }
    }

    void take(const DueNotice& due) {
        if (due.uri.empty()) return drop(due.notice);
        const bool is_tried_out = static_cast<std::size_t>(due.notice.tries) >= kRetries.size();
        if (is_tried_out) return give_up(due.notice, due.notice.tries, "its last try was not finished");
        if (due.notice.expires_at <= now()) return give_up(due.notice, due.notice.tries, "it was tried for two hours");
        std::string host = fetch::host_of(due.uri);
        if (silent_.contains(host) || waiting_of_[host] >= kWaitingOfHost) return;  // the next run finds it
        ++waiting_of_[host];
        waiting_.push_back({due.notice, std::move(host)});
    }

    void start_some() {
        for (auto next = waiting_.begin(); next != waiting_.end() && posts_.count() < kMostAtOnce;) {
            if (posts_.count_of(next->host) >= kMostOfHost) {
                ++next;
                continue;
            }
            const Waiting waiting = std::move(*next);
            next = waiting_.erase(next);
            --waiting_of_[waiting.host];
            if (!silent_.contains(waiting.host)) send(waiting.notice, waiting.host);
        }
    }

    struct Claimed {
        enum class State { ready, taken, dropped } state = State::taken;
        std::optional<model::Client> client = {};
    };

    /// The client's address and algorithm are those of now.
    Claimed claim(const LogoutNotice& notice) {
        return db::write(database_, db::Durability::full, [&](db::Transaction& transaction) -> Claimed {
            auto client = store::find_client(database_, notice.client_id);
            if (!client || client->logout.backchannel.empty()) {
                if (!store::remove_notice(transaction, notice.id, notice.tries)) return {};
                commit(transaction);
                return {.state = Claimed::State::dropped};
            }
            const util::Time until = now() + kRetries.at(static_cast<std::size_t>(notice.tries));
            if (!store::claim_notice(transaction, notice, until)) return {};
            commit(transaction);
            return {Claimed::State::ready, std::move(client)};
        });
    }

    void send(const LogoutNotice& notice, const std::string& host) {
        const Claimed claimed = claim(notice);
        if (claimed.state == Claimed::State::dropped) ++done_.dropped;
        if (claimed.state != Claimed::State::ready) return;
        std::string token;
        try {
            token = oidc::make_logout_token(config_.settings, keys_, *claimed.client, notice, now());
        } catch (const std::exception& error) {
            return note_try(notice, error.what());
        }
        posts_.start(notice, host, claimed.client->logout.backchannel, token);
    }

    void settle(const Posts::Answered& answered) {
        const auto& [notice, host, reply] = answered;
        if (!reply) {
            silent_.insert(host);
            return note_try(notice, reply.error());
        }
        if (is_success(reply->status)) return note_sent(notice);
        const std::string answer = "the application answered " + std::to_string(reply->status);
        if (reply->status != kRefused) return note_try(notice, answer);
        ++done_.failed;
        give_up(notice, notice.tries + 1, answer);
    }

    bool remove(const LogoutNotice& notice, std::int64_t tries) {
        return db::write(database_, db::Durability::full, [&](db::Transaction& transaction) {
            const bool removed = store::remove_notice(transaction, notice.id, tries);
            commit(transaction);
            return removed;
        });
    }

    void drop(const LogoutNotice& notice) {
        if (remove(notice, notice.tries)) ++done_.dropped;
    }

    void note_sent(const LogoutNotice& notice) {
        remove(notice, notice.tries + 1);
        ++done_.sent;
        note(invocation_, audit::Event::logout_notified, members_of(notice));
    }

    /// The claim has set the time of the next try already.
    void note_try(const LogoutNotice& notice, const std::string& reason) {
        ++done_.failed;
        print_note("application " + notice.client_id.str() + " was not told that a session has ended: " + reason);
        if (static_cast<std::size_t>(notice.tries) + 1 >= kRetries.size()) give_up(notice, notice.tries + 1, reason);
    }

    void give_up(const LogoutNotice& notice, std::int64_t tries, const std::string& reason) {
        if (!remove(notice, tries)) return;
        auto members = members_of(notice);
        members.emplace_back("reason", reason);
        note(invocation_, audit::Event::logout_notification_failed, std::move(members));
    }

    static std::vector<audit::Member> members_of(const LogoutNotice& notice) {
        return {audit::client(notice.client_id), audit::subject(notice.subject), audit::session(notice.sid)};
    }

    struct Waiting {
        LogoutNotice notice;
        std::string host;
    };

    const Invocation& invocation_;
    const config::Config& config_;
    const keys::Keys keys_;
    db::Database& database_;
    Posts posts_;
    const Clock::time_point last_start_ = Clock::now() + kLastStart;
    store::NoticePlace place_;
    bool is_at_end_ = false;
    std::deque<Waiting> waiting_;
    std::map<std::string, std::size_t> waiting_of_;  ///< by host
    std::set<std::string> silent_;                   ///< hosts that gave no answer: not tried again in this run
    DeliveredLogouts done_;
};

}  // namespace

DeliveredLogouts deliver_logouts(const Invocation& invocation, const config::Config& config, db::Database& database) {
    return Deliverer(invocation, config, database).run();
}

}  // namespace postern::cli
