// Is this the password of a user, as saslauthd knows it? Its protocol, one conversation in it, and the user.
#include "login/saslauthd.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "crypto/password.h"
#include "db/write.h"
#include "login/find_or_create_user.h"
#include "model/user.h"
#include "os/unix_stream.h"
#include "store/users.h"

namespace postern::login {
namespace {

using refusal::Reason;

constexpr std::chrono::seconds kPatience{5};
constexpr std::size_t kLengthBytes = 2;
constexpr std::size_t kWordBytes = 2;

void add_part(std::string& request, std::string_view part) {
    if (part.size() > kLongestSaslauthdPart) throw std::logic_error("a part of a request to saslauthd is too long");
    request += static_cast<char>(part.size() >> 8);
    request += static_cast<char>(part.size() & 0xff);
    request += part;
}

std::size_t length_of(std::string_view received) {
    return static_cast<std::size_t>(static_cast<unsigned char>(received[0])) << 8 |
           static_cast<unsigned char>(received[1]);
}

/// cyrus-sasl itself looks at the first two bytes alone. No saslauthd says OKAY, and what does is not one.
SaslauthdReply meaning_of(std::string_view text) {
    const std::string_view word = text.substr(0, kWordBytes);
    const bool is_a_word = text.size() == kWordBytes || text[kWordBytes] == ' ';
    if (is_a_word && word == "OK") return SaslauthdReply::yes;
    if (is_a_word && word == "NO") return SaslauthdReply::no;
    return SaslauthdReply::unusable;
}

SaslauthdReply converse(const std::string& socket, const util::Secret& request) {
    os::UnixStream stream(socket, std::chrono::steady_clock::now() + kPatience);
    stream.send(request.reveal());
    std::string received;
    while (true) {
        const std::string more = stream.receive(kLongestSaslauthdReply);
        received += more;
        const SaslauthdReply reply = parse_saslauthd_reply(received);
        if (reply != SaslauthdReply::incomplete) return reply;
        if (more.empty())
            throw SaslauthdError(Reason::temporarily_unavailable_saslauthd,
                                 "saslauthd at " + socket + " closed the connection without an answer");
    }
}

ProofRefused wrong(Reason reason, std::string why, const model::Subject& subject = {}) {
    return {.reason = reason, .detail = std::move(why), .subject = subject};
}

/// In a transaction of its own, so that a login whose second half is missing has a user too.
util::Result<FoundUser, std::string> find_user(oauth::Context& context, const std::string& username) {
    auto found = db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        auto user = find_or_create_user(context, transaction, username, [](model::User&) { return false; });
        transaction.commit();
        return user;
    });
    if (found && found->made)
        context.trail.add(audit::Event::user_created, {{"method", "saslauthd"}, audit::subject(found->user.subject)});
    return found;
}

}  // namespace

util::Secret saslauthd_request(std::string_view username, const util::Secret& password, std::string_view service,
                               std::string_view realm) {
    std::string request;
    // At once: a string that grows would leave copies of the password behind.
    request.reserve(4 * kLengthBytes + username.size() + password.reveal().size() + service.size() + realm.size());
    for (const std::string_view part : {username, password.reveal(), service, realm}) add_part(request, part);
    return util::Secret(std::move(request));
}

SaslauthdReply parse_saslauthd_reply(std::string_view received) {
    if (received.size() < kLengthBytes) return SaslauthdReply::incomplete;
    const std::size_t length = length_of(received);
    const std::string_view text = received.substr(kLengthBytes);
    if (length < kWordBytes || length > kLongestSaslauthdReply - kLengthBytes || text.size() > length)
        return SaslauthdReply::unusable;
    return text.size() < length ? SaslauthdReply::incomplete : meaning_of(text);
}

bool ask_saslauthd(const Saslauthd& saslauthd, std::string_view username, const util::Secret& password) {
    try {
        const util::Secret request = saslauthd_request(username, password, saslauthd.service, saslauthd.realm);
        const SaslauthdReply reply = converse(saslauthd.socket, request);
        if (reply == SaslauthdReply::unusable)
            throw SaslauthdError(Reason::temporarily_unavailable_not_saslauthd,
                                 "what listens at " + saslauthd.socket + " does not answer as saslauthd does");
        return reply == SaslauthdReply::yes;
    } catch (const std::system_error& error) {
        throw SaslauthdError(Reason::temporarily_unavailable_saslauthd,
                             "saslauthd at " + saslauthd.socket + ": " + error.what());
    }
}

bool can_ask_saslauthd(const std::string& username, const util::Secret& password) {
    return model::is_user_name(username) && username.size() <= kLongestSaslauthdPart &&
           crypto::check_password(password.reveal()) == crypto::PasswordFault::none &&
           password.reveal().size() <= kLongestSaslauthdPart;
}

std::string account_name(oauth::Context& context, const std::string& typed) {
    const std::vector<std::string> names = store::find_names_like(context.store, typed);
    return names.size() == 1 ? names.front() : typed;
}

util::Result<model::Subject, ProofRefused> find_user_by_saslauthd(oauth::Context& context, const std::string& username,
                                                                  const util::Secret& password) {
    if (!ask_saslauthd(context.settings.login.saslauthd.value(), username, password)) {
        const auto user = store::find_user_by_name(context.store, username);
        return wrong(Reason::login_failed_saslauthd_refused, "saslauthd refused the name and password",
                     user ? user->subject : model::Subject());
    }
    const auto found = find_user(context, username);
    if (!found)
        return wrong(Reason::login_failed_saslauthd_no_user,
                     "saslauthd accepted the name and password, and " + found.error());
    if (!found->user.enabled) return wrong(Reason::login_failed, "the user is disabled", found->user.subject);
    return found->user.subject;
}

std::chrono::nanoseconds rest_of_refusal(std::chrono::nanoseconds since_request) {
    return std::max(std::chrono::nanoseconds(kRefusalTakes) - since_request, std::chrono::nanoseconds::zero());
}

}  // namespace postern::login
