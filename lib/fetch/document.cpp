// Decides between the cached document and a new one (FETCH-9).
#include "fetch/document.h"

#include <chrono>

#include "crypto/digest.h"
#include "db/write.h"
#include "fetch/freshness.h"
#include "fetch/limits.h"
#include "fetch/url.h"
#include "store/fetched.h"
#include "util/text.h"

namespace postern::fetch {
namespace {

using store::Fetched;

constexpr std::chrono::seconds kLeastDuration{1};   // of a failure: FETCH-12
constexpr std::chrono::hours kUseRounded{1};        // a use is written once an hour
constexpr std::chrono::milliseconds kUseWait{100};  // and not at all in a busy database

/// One URL may be a document of several kinds, each with a check of its own.
std::string digest_of(Purpose, const std::string& url) { return crypto::sha256_hex("client_document " + url); }

Document document_of(const Fetched& fetched) { return {fetched.content_type, fetched.body}; }

/// What every answer must be before the caller looks at it.
std::optional<std::string> answer_fault(const Answer& answer) {
    if (answer.status != 200) return "the answer has status " + std::to_string(answer.status);
    if (!util::is_utf8(answer.body) || answer.body.find('\0') != std::string::npos) return "the answer is not text";
    return std::nullopt;
}

class Reading {
public:
    Reading(const Source& source, Purpose purpose, const std::string& url, Occasion occasion, const Check& check)
        : source_(source),
          question_{purpose, url},
          occasion_(occasion),
          check_(check),
          digest_(digest_of(purpose, url)),
          cached_(store::find_fetched(source.store, digest_)) {}

    util::Result<Document, Failure> read() {
        if (cached_ && source_.now < cached_->fresh_until && !check_(document_of(*cached_))) return use_cached();
        const Limits limits(source_.store, source_.now, question_.url, digest_, occasion_);
        if (auto failure = limits.claim()) return or_stale(std::move(*failure));
        has_asked_ = true;
        const auto reply = source_.fetcher->ask(question_);
        if (!reply) return fail(limits, reply.error());
        if (const auto fault = answer_fault(*reply)) return fail(limits, *fault);
        const Document document{util::is_vschar(reply->content_type) ? reply->content_type : "", reply->body};
        if (const auto fault = check_(document)) return refuse(limits, *fault);
        save(*reply, document);
        return document;
    }

    bool has_asked() const { return has_asked_; }

private:
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
        if (serves && !check_(document_of(*cached_))) return use_cached();
        return failure;
    }

    util::Result<Document, Failure> fail(const Limits& limits, const std::string& reason) {
        db::write(source_.store, db::Durability::lazy, [&](db::Transaction& transaction) {
            limits.remember_failure(transaction);
            transaction.commit();
        });
        return or_stale({false, reason});
    }

    /// It was fetched and is invalid: what was there before it serves no more.
    Failure refuse(const Limits& limits, const std::string& fault) {
        db::write(source_.store, db::Durability::lazy, [&](db::Transaction& transaction) {
            limits.remember_failure(transaction);
            store::withdraw_fetched(transaction, digest_);
            transaction.commit();
        });
        return {false, fault};
    }

    void save(const Answer& answer, const Document& document) {
        const Fetched fetched{document.content_type, document.body, source_.now,
                              source_.now + freshness(answer, source_.now), source_.now};
        db::write(source_.store, db::Durability::lazy, [&](db::Transaction& transaction) {
            store::save_fetched(transaction, digest_, fetched);
            transaction.commit();
        });
    }

    const Source& source_;
    Question question_;
    Occasion occasion_;
    const Check& check_;
    std::string digest_;
    std::optional<Fetched> cached_;
    bool has_asked_ = false;
};

}  // namespace

util::Result<Document, Failure> read_document(const Source& source, Purpose purpose, const std::string& url,
                                              Occasion occasion, const Check& check) {
    if (source.fetcher == nullptr) return Failure{false, "\"outbound\" is not enabled"};
    if (const auto fault = url_fault(url, source.outbound.ports)) return Failure{false, *fault};
    const auto began = source.fetcher->now();
    Reading reading(source, purpose, url, occasion, check);
    auto result = reading.read();
    // Only what was tried tells something of the network. Waiting for the rest would let any number of requests hold
    // processes.
    if (!result && reading.has_asked()) source.fetcher->wait_until(began + kLeastDuration);
    return result;
}

std::optional<Document> cached_document(db::Database& store, Purpose purpose, const std::string& url) {
    const auto cached = store::find_fetched(store, digest_of(purpose, url));
    return cached ? std::optional(document_of(*cached)) : std::nullopt;
}

}  // namespace postern::fetch
