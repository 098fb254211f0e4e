// Sends the logout tokens in the outbox.
#include "cli/session/deliver.h"

#include <unistd.h>

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
#include "os/file.h"
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
constexpr std::size_t kMostOfHost = 2;       // at once
constexpr std::size_t kMostWaiting = 5000;   // in memory
constexpr std::size_t kWaitingOfHost = 500;  // so that one host does not fill it
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
        while (may_start() || posts_.count() > 0) {
            if (may_start()) {
                read_more();
                start_some();
            }
            if (posts_.count() == 0) {
                // A session may have ended meanwhile, and rows of a host may have been left out: one look more.
                if (has_looked_again_ && is_at_end_ && waiting_.empty()) break;
                has_looked_again_ = is_at_end_ && waiting_.empty();
                if (has_looked_again_) read_from_the_beginning();
                continue;
            }
            has_looked_again_ = false;
            for (const Posts::Answered& answered : posts_.wait()) settle(answered);
        }
        if (!fault_.empty()) throw Refused(fault_);
        return done_;
    }

private:
    bool may_start() const { return !signals_.arrived() && Clock::now() < last_start_ && fault_.empty(); }

    void read_from_the_beginning() {
        place_ = {};
        is_at_end_ = false;
        left_out_.clear();
    }

    /// Reads due rows until the queue in memory is full, and removes the rows that cannot be sent any more.
    void read_more() {
        while (!is_at_end_ && waiting_.size() < kMostWaiting && may_start()) {
            const auto due = store::find_due_notices(database_, place_, now(), kBatch);
            is_at_end_ = due.size() < static_cast<std::size_t>(kBatch);
            std::vector<Ended> ended;
            for (const DueNotice& each : due) {
                place_ = {each.notice.not_before, each.notice.id};
                if (const auto end = end_of(each))
                    ended.push_back({each.notice, end->reason});
                else
                    take(each);
            }
            settle(ended);
        }
    }

    /// A row that is not sent. Without a reason it is dropped.
    struct End {
        const char* reason = nullptr;
    };
    struct Ended {
        LogoutNotice notice;
        const char* reason = nullptr;
    };

    static std::optional<End> end_of(const DueNotice& due) {
        if (due.uri.empty()) return End{};
        if (static_cast<std::size_t>(due.notice.tries) >= kRetries.size()) return End{"its last try was not finished"};
        if (due.notice.expires_at <= now()) return End{"it was tried for two hours"};
        return std::nullopt;
    }

    /// Removes the rows in one transaction: there may be thousands.
    void settle(const std::vector<Ended>& all) {
        if (all.empty()) return;
        const auto removed = db::write(database_, db::Durability::full, [&](db::Transaction& transaction) {
            std::vector<Ended> ended;
            for (const Ended& each : all)
                if (store::remove_notice(transaction, each.notice.id, each.notice.tries)) ended.push_back(each);
            commit(transaction);
            return ended;
        });
        for (const Ended& each : removed) {
            if (each.reason == nullptr) {
                ++done_.dropped;
                continue;
            }
            ++done_.failed;
            note_given_up(each.notice, each.reason);
        }
    }

    void take(const DueNotice& due) {
        std::string host = fetch::host_of(due.uri);
        if (silent_.contains(host) || is_waiting_.contains(due.notice.id)) return;
        if (waiting_of_[host] >= kWaitingOfHost) {
            left_out_.insert(std::move(host));
            return;
        }
        ++waiting_of_[host];
        is_waiting_.insert(due.notice.id);
        waiting_.push_back({due.notice, std::move(host)});
    }

    void start_some() {
        for (auto next = waiting_.begin(); next != waiting_.end() && posts_.count() < kMostAtOnce && fault_.empty();) {
            if (posts_.count_of(next->host) >= kMostOfHost) {
                ++next;
                continue;
            }
            const Waiting waiting = std::move(*next);
            next = waiting_.erase(next);
            is_waiting_.erase(waiting.notice.id);
            const bool is_last = --waiting_of_[waiting.host] == 0;
            if (!silent_.contains(waiting.host)) send(waiting.notice, waiting.host);
            if (is_last && left_out_.contains(waiting.host)) read_from_the_beginning();
        }
    }

    /// Reads the client's address and algorithm at the moment of sending. A fault of this machine, such as a missing
    /// key, ends the run before the row loses a try.
    void send(const LogoutNotice& notice, const std::string& host) {
        const auto client = store::find_client(database_, notice.client_id);
        if (!client || client->logout.backchannel.empty()) return settle({{notice, nullptr}});
        std::string token;
        try {
            token = oidc::make_logout_token(config_.settings, keys_, *client, notice, now());
        } catch (const std::exception& error) {
            fault_ = "logout tokens for client " + client->id.str() + " cannot be made: " + error.what();
            return;
        }
        if (claim(notice)) posts_.start(notice, host, client->logout.backchannel, token);
    }

    bool claim(const LogoutNotice& notice) {
        return db::write(database_, db::Durability::full, [&](db::Transaction& transaction) {
            const util::Time until = now() + kRetries.at(static_cast<std::size_t>(notice.tries));
            const bool claimed = store::claim_notice(transaction, notice, until);
            commit(transaction);
            return claimed;
        });
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
        if (remove(notice, tries)) note_given_up(notice, reason);
    }

    void note_given_up(const LogoutNotice& notice, const std::string& reason) {
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

    const os::HeldSignals signals_;  ///< what was sent is noted as sent
    const Invocation& invocation_;
    const config::Config& config_;
    const keys::Keys keys_;
    db::Database& database_;
    Posts posts_;
    const Clock::time_point last_start_ = Clock::now() + kLastStart;
    store::NoticePlace place_;
    bool is_at_end_ = false;
    std::deque<Waiting> waiting_;
    std::set<std::string> is_waiting_;               ///< ids
    std::map<std::string, std::size_t> waiting_of_;  ///< by host
    std::set<std::string> left_out_;                 ///< hosts of which more rows are due than are waiting
    bool has_looked_again_ = false;                  ///< since the latest answer
    std::string fault_;                              ///< of this machine: no further try is spent
    std::set<std::string> silent_;                   ///< hosts that gave no answer: not tried again in this run
    DeliveredLogouts done_;
};

}  // namespace

DeliveredLogouts deliver_logouts(const Invocation& invocation, const config::Config& config, db::Database& database) {
    const std::string& program = config.settings.outbound.program;
    if (::access(program.c_str(), X_OK) != 0)
        throw Refused(program + ", which sends logout tokens, cannot be run: " + os::errno_text() +
                      "; `postern doctor` says more");
    return Deliverer(invocation, config, database).run();
}

}  // namespace postern::cli
