// Asks the program that has the network for one resource: the question, the answer, who is asked, and the child that an
// endpoint starts for it before it gives up the right to start programs (FETCH-2).
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "fetch/outbound.h"
#include "util/result.h"

namespace postern::fetch {

/// The purpose of a request, which decides its method and how large the answer may be.
enum class Purpose {
    client_document,  ///< GET
    jwks,             ///< GET of a client's keys (RFC 7591 §2, jwks_uri)
    logout_token      ///< POST of a form (OpenID Connect Back-Channel Logout 1.0 §2.5), whose answer is a status
};

/// The greatest body, in bytes. client_document: draft-ietf-oauth-client-id-metadata-document §8.7 recommends 5 KiB,
/// and documents of large vendors exceed it. jwks: certificates make it long. logout_token: so much is read and
/// dropped, and the rest is not read.
constexpr std::size_t most_bytes(Purpose purpose) {
    return purpose == Purpose::logout_token ? 1024 : purpose == Purpose::jwks ? 65536 : 16384;
}

/// The methods that an order allows: the network reaches endpoints, so the child of one gets documents alone.
enum class Methods { get, get_and_post };

struct Question {
    Purpose purpose;
    std::string url;
    std::string body = {};  ///< of a POST: application/x-www-form-urlencoded
};

/// Header fields as they came, "" for one that did not come. Any status; the body is whole, and no longer than
/// most_bytes; that of a logout token is always empty.
struct Answer {
    int status = 0;
    std::string content_type;
    std::string cache_control;
    std::string expires;
    std::string date;
    std::string age;
    std::string body;
};

/// An answer of the URL's host, or the reason why there is none, for the log alone.
using Reply = util::Result<Answer, std::string>;

class Fetcher {
public:
    using Moment = std::chrono::steady_clock::time_point;

    virtual ~Fetcher() = default;
    /// Sends one request. Takes up to 10 s.
    virtual Reply ask(const Question& question) = 0;
    /// Returns whether no question will be answered any more: another process has to take the place of this one.
    virtual bool is_lost() const { return false; }
    /// Returns the time by which failures are made equally long; tests have one of their own and do not sleep.
    virtual Moment now() const { return std::chrono::steady_clock::now(); }
    virtual void wait_until(Moment moment) const;
};

/// Forks the child; call it before secrets are read and threads are started. The child waits outside of the sandbox.
/// For each question it runs `outbound.program`, with the limits that the configuration had when it was forked, and
/// kills one that takes longer than 8 s. It ends with this process. Throws std::system_error.
std::unique_ptr<Fetcher> start_child(const Outbound& outbound);

}  // namespace postern::fetch
