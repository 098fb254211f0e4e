// Is this the password of a user, as saslauthd knows it?
#include "login/saslauthd_check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "crypto/password.h"
#include "db/write.h"
#include "login/met_user.h"
#include "login/saslauthd.h"
#include "model/user_name.h"
#include "store/users.h"

namespace postern::login {
namespace {

using refusal::Reason;

constexpr const char* kMethod = "saslauthd";

ProofRefused wrong(Reason reason, std::string why, const model::Subject& subject = {}) {
    return {.reason = reason, .detail = std::move(why), .subject = subject};
}

/// In a transaction of its own, so that a login whose second half is missing has a user too.
util::Result<MetUser, std::string> meet(oauth::Context& context, const std::string& username) {
    auto met = db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) {
        auto found = meet_user(context, transaction, username, [](model::User&) { return false; });
        transaction.commit();
        return found;
    });
    if (met && met->made)
        context.trail.add(audit::Event::user_created, {{"method", kMethod}, audit::subject(met->user.subject)});
    return met;
}

}  // namespace

bool can_ask_saslauthd(const std::string& username, const util::Secret& password) {
    return model::is_user_name(username) && username.size() <= kLongestSaslauthdPart &&
           crypto::check_password(password.reveal()) == crypto::PasswordFault::none &&
           password.reveal().size() <= kLongestSaslauthdPart;
}

std::string account_name(oauth::Context& context, const std::string& typed) {
    const std::vector<std::string> names = store::find_names_like(context.store, typed);
    return names.size() == 1 ? names.front() : typed;
}

ProofResult compare_by_saslauthd(oauth::Context& context, const std::string& username, const util::Secret& password) {
    if (!ask_saslauthd(context.settings.login.saslauthd.value(), username, password)) {
        const auto user = store::find_user_by_name(context.store, username);
        return wrong(Reason::login_failed_saslauthd_refused, "saslauthd refused the name and password",
                     user ? user->subject : model::Subject());
    }
    const auto met = meet(context, username);
    if (!met)
        return wrong(Reason::login_failed_saslauthd_no_user,
                     "saslauthd accepted the name and password, and " + met.error());
    if (!met->user.enabled) return wrong(Reason::login_failed, "the user is disabled", met->user.subject);
    // What is stored may be from a time when passwords were kept here; while the login goes on it must not change.
    auto stored = store::find_password(context.store, met->user.subject);
    stored.must_change = false;
    return proof_by_password(met->user.subject, stored);
}

std::chrono::nanoseconds rest_of_refusal(std::chrono::nanoseconds since_request) {
    return std::max(std::chrono::nanoseconds(kRefusalTakes) - since_request, std::chrono::nanoseconds::zero());
}

}  // namespace postern::login
