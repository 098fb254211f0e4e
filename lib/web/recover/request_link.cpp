// The page on which a user who has forgotten the password asks for a link by mail.
#include "web/recover/recover.h"

#include <optional>
#include <string>
#include <string_view>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "db/write.h"
#include "login/browser.h"
#include "login/password_check.h"
#include "model/mail.h"
#include "os/wake_file.h"
#include "store/login_attempts.h"
#include "store/mail_requests.h"
#include "store/users.h"
#include "web/csrf.h"

namespace postern::web {
namespace {

using text::tr;

constexpr std::int64_t kMostOfAddress = 5;
constexpr std::int64_t kMostOfName = 3;
constexpr util::Seconds kHour = std::chrono::hours(1);

constexpr const char* kOutOfDate = tr("This form is out of date. Send it again.");
constexpr const char* kNothingTyped = tr("Enter your user name or your e-mail address.");

http::Response form(oauth::Context& context, const RecoverPages& own, login::Browser& browser,
                    const text::Message& problem, int status = 200) {
    return login::with_browser_id(context, browser, [&] {
        return own.ask({.csrf = csrf_token(context, Form::recover, browser, ""), .problem = problem}, status);
    });
}

http::Response refuse(http::Response response, refusal::Reason reason, const std::string& detail) {
    response.refusal = http::Refusal{reason, "the page of a forgotten password was shown", detail, ""};
    return response;
}

/// What is no address gets the digest of something else, which no user has: it may be a password. The row is alike.
std::string key_of(oauth::Context& context, const std::string& typed) {
    const std::string key = model::email_key(typed);
    const std::string random = crypto::random_token(context.random);
    return key.empty() ? crypto::sha256_hex(random) : key;
}

/// As the name is found: a user byte by byte, so that another spelling takes nothing from the owner; an address in any
/// case. The same work for each.
std::string counted_as(const std::string& typed, const std::optional<model::Subject>& named) {
    const std::string key = model::email_key(typed);
    if (named) return crypto::sha256_hex("user " + named->str());
    return key.empty() ? crypto::sha256_hex(typed) : key;
}

enum class Asked { yes, too_often, too_many };

struct Answer {
    Asked asked = Asked::yes;
    std::optional<model::Subject> subject = {};
};

Answer ask(oauth::Context& context, const std::string& typed, const std::string& address, const std::string& language) {
    const std::string address_key = login::counter_of_network("mail-address:", address);
    model::MailRequest request;
    request.id = crypto::random_id(context.random);
    request.email_key = key_of(context, typed);
    request.language = language;
    request.created_at = request.not_before = context.now();
    return db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) -> Answer {
        request.subject = store::find_subject(transaction.database(), typed);
        const std::string name_key = "mail-name:" + counted_as(typed, request.subject);
        const bool may_ask = store::count_uses(
            transaction, {{address_key, kMostOfAddress, context.settings.login.window}, {name_key, kMostOfName, kHour}},
            request.created_at);
        const bool is_written = may_ask && store::insert_reset(transaction, request);
        if (is_written && context.mail_wake != nullptr) context.mail_wake->request_wake();
        transaction.commit();
        return {!may_ask ? Asked::too_often : is_written ? Asked::yes : Asked::too_many, request.subject};
    });
}

http::Response submit(oauth::Context& context, const RecoverPages& own, login::Browser& browser,
                      const http::Request& request, const std::string& language) {
    if (const auto why = find_form_fault(context, Form::recover, browser, "", request))
        return refuse(form(context, own, browser, kOutOfDate, 403), refusal::Reason::recover_form_refused, *why);
    const auto typed = request.form.find_typed("name");
    if (!typed)
        return refuse(form(context, own, browser, kNothingTyped, 400), refusal::Reason::recover_form_refused,
                      "field: name");
    if (typed->empty()) return form(context, own, browser, kNothingTyped);
    const Answer answer = ask(context, *typed, request.remote_address, language);
    http::Response response = own.asked();
    if (answer.asked == Asked::yes) {
        context.trail.add(audit::Event::mail_asked, {{"kind", std::string(model::to_string(model::MailKind::reset))},
                                                     audit::subject(answer.subject.value_or(model::Subject()))});
        return response;
    }
    return refuse(
        std::move(response), refusal::Reason::mail_limited,
        answer.asked == Asked::too_many
            ? "no message will be sent: " + std::to_string(store::kMaxWaitingResets) + " requests wait already"
            : "no message will be sent: there were too many requests from this address, or for this name");
}

}  // namespace

http::Response request_link(oauth::Context& context, const RecoverPages& own, const http::Request& request,
                            const std::string& language) {
    login::Browser browser = login::recognise_browser(context.settings, request);
    return request.method == http::Method::post ? submit(context, own, browser, request, language)
                                                : form(context, own, browser, "");
}

}  // namespace postern::web
