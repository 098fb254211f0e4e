// Sends the messages that wait.
#include "cli/mail/mail.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/audit.h"
#include "cli/mail/compose.h"
#include "crypto/random.h"
#include "db/write.h"
#include "mail/notice.h"
#include "os/held_signals.h"
#include "os/run_program.h"
#include "store/links.h"
#include "store/login_attempts.h"
#include "store/mail_requests.h"
#include "store/users.h"

namespace postern::cli {
namespace {

using audit::Event;
using model::MailKind;
using model::MailRequest;

constexpr int kBatch = 100;
constexpr std::chrono::seconds kLongestRun{30};
/// After each try that failed, until the next; behind the last one the message is given up (MAIL-2).
constexpr std::array<util::Seconds, 5> kRetries = {std::chrono::minutes(1), std::chrono::minutes(5),
                                                   std::chrono::minutes(30), std::chrono::hours(4),
                                                   std::chrono::minutes(1)};
static_assert(2 * kLongestRun <= std::ranges::min(kRetries), "another deliverer could send it as well");
constexpr util::Seconds kHour = std::chrono::hours(1);
constexpr int kMostOfAddress = 20;  // users who share one
/// Parts of `mail.perHour`: what is left to the other sort when one of them would take all, and the notices that one
/// user may have, three in any case.
constexpr std::int64_t kLeftToOthers = 4;
constexpr std::int64_t kShareOfUser = 10;
constexpr std::int64_t kLeastOfUser = 3;

class Deliverer {
public:
    Deliverer(const Invocation& invocation, const config::Config& config, db::Database& database)
        : invocation_(invocation), config_(config), database_(database) {}

    Delivered run() {
        const os::HeldSignals signals;  // a message that was sent is noted as sent
        while (!signals.arrived()) {
            const auto asked = store::find_asked_mail(database_, kBatch);
            if (asked.empty()) break;
            address_all(asked);
        }
        while (!signals.arrived()) {
            const auto due = store::find_due_mail(database_, now(), kBatch, wanted_);
            if (due.empty()) break;
            for (const MailRequest& request : due) {
                if (signals.arrived()) break;
                if (!is_wanted(request)) continue;
                if (!send(request)) return done_;
            }
        }
        return done_;
    }

private:
    struct Prepared {
        enum class State { ready, taken, limited, sort_limited, held, dropped, failed } state = State::taken;
        std::string reason = {};
        std::string address = {};
        std::string message = {};
        std::optional<model::Link> link = {};
    };

    /// Turns the typed name or address, which several users may have, into one message for each user (MAIL-5).
    /// All of them take one commit, because strangers can have thousands wait.
    void address_all(const std::vector<MailRequest>& requests) {
        done_.dropped += db::write(database_, db::Durability::full, [&](db::Transaction& transaction) {
            std::int64_t dropped = 0;
            for (const MailRequest& request : requests) dropped += address_one(transaction, request);
            commit(transaction);
            return dropped;
        });
    }

    /// Returns how many were dropped.
    std::int64_t address_one(db::Transaction& transaction, const MailRequest& request) {
        if (!store::remove_mail(transaction, request.id, request.tries)) return 0;  // another deliverer did it
        auto subjects = store::subjects_with_email(database_, request.email_key.value_or(""), kMostOfAddress);
        if (request.subject && std::ranges::find(subjects, *request.subject) == subjects.end())
            subjects.push_back(*request.subject);
        std::int64_t dropped = subjects.empty() ? 1 : 0;
        for (const model::Subject& subject : subjects) {
            if (mail::may_get_another(transaction, subject, now()))
                insert_for(transaction, request, subject);
            else
                ++dropped;
        }
        return dropped;
    }

    static void insert_for(db::Transaction& transaction, const MailRequest& request, const model::Subject& subject) {
        crypto::SystemRandom random;
        MailRequest one = request;
        one.id = crypto::random_id(random);
        one.subject = subject;
        one.email_key.reset();
        store::insert_mail(transaction, one);
    }

    /// False: no more of this run, `mail.perHour` is used up.
    bool send(const MailRequest& request) {
        const Prepared prepared = db::write(database_, db::Durability::full, [&](db::Transaction& transaction) {
            return prepare(transaction, request);
        });
        switch (prepared.state) {
            case Prepared::State::taken:
                return true;
            case Prepared::State::limited:
                done_.limited = true;
                return false;
            case Prepared::State::sort_limited:
                done_.limited = true;
                (is_asked(request) ? wanted_.asked : wanted_.notices) = false;
                return true;
            case Prepared::State::held:
                hold(request);
                return true;
            case Prepared::State::dropped:
                ++done_.dropped;
                return true;
            case Prepared::State::failed:
                note_failure(request, prepared.reason);
                return true;
            case Prepared::State::ready:
                break;
        }
        const os::ProgramEnd end =
            os::run_program(config_.settings.mail.value().command, prepared.message, kLongestRun);
        end.succeeded ? note_sent(request, prepared) : note_try(request, end.reason);
        return true;
    }

    /// The token, the row of the link and the claim on the message, in one transaction (MAIL-3).
    Prepared prepare(db::Transaction& transaction, const MailRequest& request) {
        const model::Subject subject = request.subject.value_or(model::Subject());
        const auto user = store::find_user_to_change(transaction, subject);
        const std::size_t tries = static_cast<std::size_t>(request.tries);
        if (tries >= kRetries.size()) return give_up(transaction, request, "its last try was not finished");
        const bool is_late = request.kind == MailKind::reset && tries == 0 && request.created_at + kHour < now();
        if (!user || is_late) return drop(transaction, request);
        Prepared prepared{.state = Prepared::State::ready, .address = address_for(request, *user)};
        auto link = link_for(request, prepared.address, now());
        if (prepared.address.empty() || (link && !user->enabled)) return drop(transaction, request);
        if (!store::claim_mail(transaction, request, now() + kRetries.at(tries))) return {};
        if (link && !store::insert_link(transaction, link->link)) return {};
        const auto state = count(transaction, request);
        if (state != Prepared::State::ready)
            return {.state = state};  // without a commit: nothing is claimed or counted
        auto message = compose(config_, languages_, request, *user, prepared.address, link, now());
        if (!message) return give_up(transaction, request, "the user has a name or an address that no header can hold");
        prepared.message = std::move(*message);
        if (link) prepared.link = link->link;
        commit(transaction);
        return prepared;
    }

    static bool is_asked(const MailRequest& request) {
        return request.kind == MailKind::reset || request.kind == MailKind::email;
    }
    static bool is_notice(const MailRequest& request) {
        return request.kind == MailKind::notice || request.kind == MailKind::guess;
    }
    bool is_wanted(const MailRequest& request) const {
        return is_asked(request) ? wanted_.asked : !is_notice(request) || wanted_.notices;
    }

    /// Whether there is room for it in this hour: in all, of its sort, and for its user. Links of the operator have the
    /// first limit alone.
    Prepared::State count(db::Transaction& transaction, const MailRequest& request) {
        using State = Prepared::State;
        const std::int64_t per_hour = config_.settings.mail.value().per_hour;
        const auto has_room = [&](const std::string& of, std::int64_t limit) {
            return store::count_uses(transaction, {{std::string(store::kUseCounter) + of, limit, kHour}}, now());
        };
        if (!has_room("all", per_hour)) return State::limited;
        if (!is_asked(request) && !is_notice(request)) return State::ready;
        if (!has_room(is_asked(request) ? "asked" : "notices", limit_of_sort(request, per_hour)))
            return State::sort_limited;
        if (is_asked(request)) return State::ready;  // three an hour are asked for at most
        const std::string user = "share:" + request.subject.value_or(model::Subject()).str();
        return has_room(user, std::max(kLeastOfUser, per_hour / kShareOfUser)) ? State::ready : State::held;
    }

    /// Strangers ask for links and users cause notices: neither keeps the other from being sent.
    std::int64_t limit_of_sort(const MailRequest& request, std::int64_t per_hour) const {
        if (is_notice(request)) return per_hour - per_hour / kLeftToOthers;
        const bool is_other_due = store::is_notice_due(database_, now());
        return is_other_due ? per_hour - std::max<std::int64_t>(1, per_hour / kLeftToOthers) : per_hour;
    }

    /// The user has had this hour's share: others go on.
    void hold(const MailRequest& request) {
        db::write(database_, db::Durability::full, [&](db::Transaction& transaction) {
            store::postpone_mail(transaction, request, now() + kHour);
            commit(transaction);
        });
        done_.limited = true;
    }

    static Prepared drop(db::Transaction& transaction, const MailRequest& request) {
        if (!store::remove_mail(transaction, request.id, request.tries)) return {};
        commit(transaction);
        return {.state = Prepared::State::dropped};
    }

    /// Before or behind the claim, which has counted the try.
    static Prepared give_up(db::Transaction& transaction, const MailRequest& request, const char* reason) {
        if (!store::fail_mail(transaction, request.id, request.tries, now()) &&
            !store::fail_mail(transaction, request.id, request.tries + 1, now()))
            return {};
        commit(transaction);
        return {.state = Prepared::State::failed, .reason = reason};
    }

    static std::vector<audit::Member> members_of(const MailRequest& request) {
        return {{"kind", std::string(model::to_string(request.kind))},
                audit::subject(request.subject.value_or(model::Subject()))};
    }

    void note_sent(const MailRequest& request, const Prepared& prepared) {
        db::write(database_, db::Durability::full, [&](db::Transaction& transaction) {
            store::remove_mail(transaction, request.id, request.tries + 1);
            commit(transaction);
        });
        ++done_.sent;
        auto members = members_of(request);
        if (prepared.link) members.push_back(audit::credential("link", prepared.link->token_hash));
        note(invocation_, audit::Event::mail_sent, std::move(members));
    }

    /// The claim has set the time of the next try already.
    void note_try(const MailRequest& request, const std::string& reason) {
        ++done_.failed;
        print_note("a message of kind " + std::string(model::to_string(request.kind)) + " was not sent: " + reason);
        if (static_cast<std::size_t>(request.tries) + 1 < kRetries.size()) return;
        db::write(database_, db::Durability::full, [&](db::Transaction& transaction) {
            store::fail_mail(transaction, request.id, request.tries + 1, now());
            commit(transaction);
        });
        note_failure(request, reason);
    }

    void note_failure(const MailRequest& request, const std::string& reason) {
        auto members = members_of(request);
        members.emplace_back("reason", reason);
        note(invocation_, audit::Event::mail_failed, std::move(members));
    }

    const Invocation& invocation_;
    const config::Config& config_;
    const text::Languages languages_{config_.templates, config_.settings.languages, config_.settings.language};
    db::Database& database_;
    store::MailSorts wanted_;  ///< in this run: a sort that has used up its hour waits for the next one
    Delivered done_;
};

}  // namespace

Delivered deliver_mail(const Invocation& invocation, const config::Config& config, db::Database& database) {
    return Deliverer(invocation, config, database).run();
}

}  // namespace postern::cli
