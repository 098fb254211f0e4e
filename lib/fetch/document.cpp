// Decides between the cached document and a new one (FETCH-9).
#include "fetch/document.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "crypto/digest.h"
#include "db/error.h"
#include "db/write.h"
#include "fetch/allowed.h"
#include "fetch/limits.h"
#include "os/file_lock.h"
#include "store/fetched.h"
#include "util/text.h"

namespace postern::fetch {
namespace {

using refusal::Reason;
using store::Fetched;
using util::Seconds;

constexpr std::chrono::seconds kLeastDuration{1};    // of a failure: FETCH-12
constexpr std::chrono::milliseconds kSilence{2500};  // so long without an answer, before 3 s to connect are over
constexpr std::chrono::hours kUseRounded{1};         // a use is written once an hour
constexpr std::chrono::milliseconds kUseWait{100};   // and not at all in a busy database

constexpr Seconds kRefetched{30};  // FETCH-10

/// One URL may be a document of several kinds, each with a check of its own.
std::string digest_of(Purpose purpose, const std::string& url) {
    return crypto::sha256_hex((purpose == Purpose::jwks ? "jwks " : "client_document ") + url);
}

Document document_of(const Fetched& fetched) { return {fetched.content_type, fetched.body}; }

/// Judges an answer before the caller looks at it.
std::optional<std::string> answer_fault(const Answer& answer) {
    if (answer.status != 200) return "the answer has status " + std::to_string(answer.status);
    if (!util::is_utf8(answer.body) || answer.body.find('\0') != std::string::npos) return "the answer is not text";
    return std::nullopt;
}

/// nullopt: as many processes as may wait for hosts. Lock files that cannot be made are storage that does not work.
std::optional<os::Slot> take_slot(const Outbound& outbound) {
    try {
        return os::Slot::acquire(outbound.slot_files, outbound.slots, std::chrono::milliseconds(0));
    } catch (const std::system_error& error) {
        throw db::StoreError(error.what());
    }
}

class Reading {
public:
    Reading(const Source& source, Purpose purpose, const std::string& url, const Cause& cause, const Check& check)
        : source_(source),
          question_{purpose, url},
          cause_(cause),
          check_(check),
          digest_(digest_of(purpose, url)),
          cached_(store::find_fetched(source.store, digest_)) {}

    util::Result<Document, Failure> read() {
        if (cached_ && source_.now < good_until() && passes(*cached_)) return use_cached();
        Limits limits(source_, question_.url, digest_, cause_);
        if (auto failure = limits.refusal()) return or_stale(std::move(*failure));
        // Before it is counted: what no process has time for spends no fetch.
        slot_ = take_slot(source_.outbound);
        if (!slot_)
            return or_stale(
                {Reason::client_document_busy_slots, "as many fetches are under way as \"outbound.slots\" allows"});
        if (auto failure = limits.claim()) return or_stale(std::move(*failure));
        return ask(limits);
    }

    /// A failure keeps its slot until this ends: the process waits for the rest of the second.
    bool has_asked() const { return has_asked_; }

private:
    util::Time good_until() const {
        const bool is_asked_again = cause_.occasion == Occasion::refetch;
        return is_asked_again ? std::min(cached_->fresh_until, cached_->fetched_at + kRefetched) : cached_->fresh_until;
    }

    bool passes(const Fetched& fetched) const {
        Document document = document_of(fetched);
        return !check_(document);
    }

    util::Result<Document, Failure> ask(const Limits& limits) {
        const auto began = source_.fetcher->now();
        has_asked_ = true;
        const auto reply = source_.fetcher->ask(question_);
        took_ = source_.fetcher->now() - began;
        if (!reply) return fail(limits, reply.error(), took_ >= kSilence ? Host::silent : Host::quick);
        if (const auto fault = answer_fault(*reply)) return fail(limits, *fault, Host::quick);
        Document document{util::is_vschar(reply->content_type) ? reply->content_type : "", reply->body};
        if (const auto fault = check_(document)) return refuse(limits, *fault);
        save(limits, *reply, document);
        return document;
    }

    Document use_cached() {
        if (source_.now - cached_->used_at >= kUseRounded) mark_used();
        return document_of(*cached_);
    }

    void mark_used() {
        try {
            db::write(source_.store, db::Durability::lazy, kUseWait, [&](db::Transaction& transaction) {
                store::mark_used(transaction, digest_, source_.now);
                transaction.commit();
            });
        } catch (const db::StoreBusy&) {
            return;  // the next use will be written
        }
    }

    util::Result<Document, Failure> or_stale(Failure failure) {
        const bool serves = cached_ && source_.now < cached_->fresh_until + source_.outbound.stale_if_error;
        if (serves && passes(*cached_)) return use_cached();
        return failure;
    }

    /// A silent host holds a process; others fail at once, by their certificate or an address that is refused.
    enum class Host { silent, quick };

    util::Result<Document, Failure> fail(const Limits& limits, const std::string& reason, Host host) {
        db::write(source_.store, db::Durability::lazy, [&](db::Transaction& transaction) {
            note_failure(transaction, limits);
            if (host == Host::silent)
                limits.remember_silence(transaction);
            else
                limits.forget_silence(transaction);
            transaction.commit();
        });
        return or_stale({Reason::client_document_refused, reason});
    }

    /// The new document was fetched and is invalid: the cached one serves no more.
    Failure refuse(const Limits& limits, const std::string& fault) {
        db::write(source_.store, db::Durability::lazy, [&](db::Transaction& transaction) {
            note_failure(transaction, limits);
            limits.forget_silence(transaction);
            store::withdraw_fetched(transaction, digest_);
            transaction.commit();
        });
        return {Reason::client_document_refused_invalid, fault};
    }

    void note_failure(db::Transaction& transaction, const Limits& limits) const {
        limits.charge(transaction, std::max(took_, std::chrono::nanoseconds(kLeastDuration)));
        limits.remember_failure(transaction);
    }

    void save(const Limits& limits, const Answer& answer, const Document& document) {
        const Fetched fetched{document.content_type, document.body, source_.now,
                              source_.now + freshness(answer, source_.now), source_.now};
        db::write(source_.store, db::Durability::lazy, [&](db::Transaction& transaction) {
            limits.charge(transaction, took_);
            limits.forget_silence(transaction);
            store::save_fetched(transaction, digest_, fetched);
            transaction.commit();
        });
    }

    const Source& source_;
    Question question_;
    const Cause& cause_;
    const Check& check_;
    std::string digest_;
    std::optional<Fetched> cached_;
    std::optional<os::Slot> slot_;
    bool has_asked_ = false;
    std::chrono::nanoseconds took_{0};
};

constexpr std::int64_t kMostSeconds = 2147483648;  // RFC 9111 §1.2.2: a greater number counts as this

/// delta-seconds; nullopt: it is none.
std::optional<Seconds> parse_seconds(std::string_view text) {
    const bool is_number = !text.empty() && std::ranges::all_of(text, util::is_digit);
    if (!is_number) return std::nullopt;
    return Seconds(util::parse_digits(text, kMostSeconds).value_or(kMostSeconds));
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7); its obsolete forms are nullopt.
std::optional<util::Time> parse_date(std::string_view text) {
    constexpr std::string_view kForm = "Sun, 06 Nov 1994 08:49:37 GMT";
    constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (text.size() != kForm.size() || !text.ends_with(" GMT")) return std::nullopt;
    const auto number = [&](std::size_t at, std::size_t length, std::int64_t most) {
        return util::parse_digits(text.substr(at, length), most);
    };
    const auto month = std::ranges::find(kMonths, text.substr(8, 3));
    const auto year = number(12, 4, 9999);
    const auto day = number(5, 2, 31);
    const auto hour = number(17, 2, 23);
    const auto minute = number(20, 2, 59);
    const auto second = number(23, 2, 60);
    if (month == std::end(kMonths) || !year || !day || !hour || !minute || !second) return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(month - kMonths) + 1),
                                           std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) + Seconds(*second);
}

/// The directives that count here.
struct CacheControl {
    bool forbids = false;
    std::optional<Seconds> max_age;
};

CacheControl parse_cache_control(std::string_view text) {
    CacheControl control;
    constexpr std::string_view kMaxAge = "max-age=";
    for (const std::string_view part : util::split(text, ',')) {
        const std::string directive = util::to_lower(util::trim(part));
        if (directive == "no-store" || directive == "no-cache") control.forbids = true;
        if (directive.starts_with(kMaxAge)) control.max_age = parse_seconds(directive.substr(kMaxAge.size()));
    }
    return control;
}

/// As the answer says it; nullopt: it does not.
std::optional<Seconds> stated(const Answer& answer, util::Time now) {
    const CacheControl control = parse_cache_control(answer.cache_control);
    if (control.forbids) return Seconds(0);
    if (control.max_age) return *control.max_age - parse_seconds(answer.age).value_or(Seconds(0));
    if (answer.expires.empty()) return std::nullopt;
    const auto expires = parse_date(answer.expires);
    if (!expires) return Seconds(0);  // RFC 9111 §5.3: an invalid date has expired
    return *expires - parse_date(answer.date).value_or(now);
}

}  // namespace

Seconds freshness(const Answer& answer, util::Time now) {
    return std::clamp(stated(answer, now).value_or(kUsualFreshness), kShortestFreshness, kLongestFreshness);
}

std::optional<Document> find_document(db::Database& store, Purpose purpose, const std::string& url) {
    const auto fetched = store::find_fetched(store, digest_of(purpose, url));
    if (!fetched || fetched->fresh_until == util::Time{}) return std::nullopt;
    return document_of(*fetched);
}

std::optional<util::Time> cached_until(db::Database& store, Purpose purpose, const std::string& url) {
    const auto fetched = store::find_fetched(store, digest_of(purpose, url));
    return fetched ? std::optional(fetched->fresh_until) : std::nullopt;
}

util::Result<Document, Failure> read_document(const Source& source, Purpose purpose, const std::string& url,
                                              const Cause& cause, const Check& check) {
    if (source.fetcher == nullptr) return Failure{Reason::client_document_refused, "\"outbound\" is not enabled"};
    if (const auto fault = url_fault(url, source.outbound.ports))
        return Failure{Reason::client_document_refused, *fault};
    const auto began = source.fetcher->now();
    Reading reading(source, purpose, url, cause, check);
    auto result = reading.read();
    // Only a failure after a fetch tells something of the network. Waiting for the others would let any number of
    // requests hold processes.
    if (!result && reading.has_asked()) source.fetcher->wait_until(began + kLeastDuration);
    return result;
}

}  // namespace postern::fetch
