// The page of a user's recovery codes.
#include "web/account/account.h"

#include <limits>
#include <optional>

#include "db/write.h"
#include "http/url.h"
#include "store/factors.h"
#include "store/users.h"
#include "util/text.h"
#include "web/account/app_setup.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kNoKey = tr("New codes cannot be made here now. Ask the administrator of this service.");
constexpr const char* kEnded = tr("Your earlier codes have ended.");
constexpr const char* kNew = "new";  // parameter of the page that asks whether new ones are made

/// How many are left, and why new ones are not made, or "".
http::Response left(AccountVisit& visit, const text::Message& problem) {
    const store::Factors factors = store::find_factors(visit.context().store, visit.subject());
    CodesPage page;
    page.frame = frame_of(visit);
    page.frame.problem = problem;
    if (factors.any()) {
        page.kind = CodesPage::Kind::left;
        page.left = text::Message::number(factors.unused_codes);
        page.another = http::with_query(visit.url(), {{kNew, "yes"}});
    }
    return visit.pages.codes(page);
}

http::Response refuse_without_key(AccountVisit& visit) {
    http::Response response = left(visit, kNoKey);
    response.refusal = http::Refusal{refusal::Reason::codes_refused, "the page of the codes was shown",
                                     "there is no factor.key; postern key repair makes one", ""};
    return response;
}

http::Response ask(AccountVisit& visit) {
    return visit.with_browser_id([&] {
        CodesPage page;
        page.frame = frame_of(visit);
        page.frame.state_parameter = kNew;
        page.kind = CodesPage::Kind::asks;
        page.stamp = std::to_string(store::find_stamp(visit.context().store, visit.subject()));
        return visit.pages.codes(page);
    });
}

/// nullopt: something was changed since the page asked, perhaps by this very form.
std::optional<std::vector<std::string>> replace_codes(const AccountVisit& visit, std::int64_t stamp) {
    using Codes = std::optional<std::vector<std::string>>;
    return db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) -> Codes {
        if (!store::find_user_to_change(transaction, visit.subject())) return std::nullopt;
        if (store::find_stamp(transaction.database(), visit.subject()) != stamp) return std::nullopt;
        if (!store::find_factors(transaction.database(), visit.subject()).any()) return std::nullopt;
        Codes codes = make_codes(visit.context(), transaction, visit.subject());
        store::raise_stamp(transaction, visit.subject());
        visit.note(transaction, model::ActivityKind::recovery_codes_made);
        transaction.commit();
        return codes;
    });
}

}  // namespace

http::Response show_codes(AccountVisit& visit) {
    const bool asks = visit.request().query.find(kNew).has_value();
    if (!asks || !store::find_factors(visit.context().store, visit.subject()).any()) return left(visit, "");
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    return visit.context().keys.has_factor_key() ? ask(visit) : refuse_without_key(visit);
}

http::Response submit_codes(AccountVisit& visit) {
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    const auto sent = visit.request().form.find("stamp");
    const auto stamp = util::parse_digits(sent.value_or(""), std::numeric_limits<std::int64_t>::max());
    if (!stamp) return refuse_malformed_form(visit, "field: stamp");
    if (!visit.context().keys.has_factor_key()) return refuse_without_key(visit);
    if (const auto codes = replace_codes(visit, *stamp)) return show_new_codes(visit, *codes, kEnded);
    // A user without a second factor has no codes, and the page says so.
    if (!store::find_factors(visit.context().store, visit.subject()).any()) return http::see_other(visit.url());
    return done(visit, AccountDone::codes_shown_once);
}

http::Response show_new_codes(AccountVisit& visit, const std::vector<std::string>& codes, const text::Message& done,
                              const std::string& next) {
    visit.context().trail.add(audit::Event::recovery_codes_made,
                              {audit::subject(visit.subject()), audit::session(visit.session.sid)});
    CodesPage page;
    page.frame = frame_of(visit);
    page.frame.done = done;
    page.kind = CodesPage::Kind::shown;
    page.next = next.empty() ? page.frame.overview : next;
    for (const std::string& code : codes) page.codes.push_back(in_fours(code));
    return visit.pages.codes(page);
}

}  // namespace postern::web
