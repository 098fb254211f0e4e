// Sends the messages that wait.
#include "cli/mail/deliver.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/audit.h"
#include "cli/mail/compose.h"
#include "crypto/random.h"
#include "db/write.h"
#include "oauth/mail_notice.h"
#include "os/held_signals.h"
#include "os/run_program.h"
#include "store/links.h"
#include "store/login_attempts.h"
#include "store/mail_requests.h"
#include "store/users.h"

namespace postern::cli {
namespace {

using model::MailKind;
using model::MailRequest;
using oauth::AuditEvent;

constexpr int kBatch = 100;
constexpr std::chrono::seconds kLongestRun{30};
/// After each try that failed, until the next; behind the last one the message is given up (MAIL-2).
constexpr std::array<util::Seconds, 5> kRetries = {std::chrono::minutes(1), std::chrono::minutes(5),
                                                   std::chrono::minutes(30), std::chrono::hours(4),
                                                   std::chrono::minutes(1)};
static_assert(2 * kLongestRun <= std::ranges::min(kRetries), "another deliverer could send it as well");
constexpr util::Seconds kHour = std::chrono::hours(1);
constexpr int kMostOfAddress = 20;  // users who share one

util::Time now() { return util::SystemClock().now(); }

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
            const auto due = store::find_due_mail(database_, now(), kBatch);
            if (due.empty()) break;
            for (const MailRequest& request : due) {
                if (signals.arrived()) break;
                if (!send(request)) return done_;
            }
        }
        return done_;
    }

private:
    struct Prepared {
        enum class State { ready, taken, limited, dropped, failed } state = State::taken;
        std::string reason = {};
        std::string address = {};
        std::string message = {};
        std::optional<model::Link> link = {};
    };

    /// What was typed becomes one message for each user whom it fits: the name, or the address of several (MAIL-5). One
    /// commit for all of them, because strangers can have thousands wait.
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
            if (oauth::may_get_another(transaction, subject, now()))
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
        const std::string all = std::string(store::kUseCounter) + "all";
        if (!store::count_uses(transaction, {{all, config_.settings.mail.value().per_hour, kHour}}, now()))
            return {.state = Prepared::State::limited};  // without a commit: nothing is claimed
        auto message = compose(config_, languages_, request, *user, prepared.address, link, now());
        if (!message) return give_up(transaction, request, "the user has a name or an address that no header can hold");
        prepared.message = std::move(*message);
        if (link) prepared.link = link->link;
        commit(transaction);
        return prepared;
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

    static std::vector<oauth::audit::Member> members_of(const MailRequest& request) {
        return {{"kind", std::string(model::to_string(request.kind))},
                oauth::audit::subject(request.subject.value_or(model::Subject()))};
    }

    void note_sent(const MailRequest& request, const Prepared& prepared) {
        db::write(database_, db::Durability::full, [&](db::Transaction& transaction) {
            store::remove_mail(transaction, request.id, request.tries + 1);
            commit(transaction);
        });
        ++done_.sent;
        auto members = members_of(request);
        if (prepared.link) members.push_back(oauth::audit::credential("link", prepared.link->token_hash));
        note(invocation_, AuditEvent::mail_sent, std::move(members));
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
        note(invocation_, AuditEvent::mail_failed, std::move(members));
    }

    const Invocation& invocation_;
    const config::Config& config_;
    const text::Languages languages_{config_.templates, config_.settings.languages, config_.settings.language};
    db::Database& database_;
    Delivered done_;
};

}  // namespace

Delivered deliver_mail(const Invocation& invocation, const config::Config& config, db::Database& database) {
    return Deliverer(invocation, config, database).run();
}

}  // namespace postern::cli
