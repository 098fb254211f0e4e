// The page of a user's passkeys.
#include "web/account/account.h"

#include "db/write.h"
#include "http/url.h"
#include "json/writer.h"
#include "login/complete.h"
#include "oauth/acr.h"
#include "oauth/context.h"
#include "oauth/session_life.h"
#include "oauth/session_note.h"
#include "store/factors.h"
#include "store/passkeys.h"
#include "store/second_factor.h"
#include "store/sessions.h"
#include "store/users.h"
#include "text/message.h"
#include "util/base64.h"
#include "web/account/app_setup.h"

namespace postern::web {
namespace {

using refusal::Reason;
using text::tr;

using util::base64url_encode;

constexpr const char* kLastFactor =
    tr("This is your only second factor, and you must sign in with one. Add another one first.");
constexpr const char* kLastWayIn = tr("Without this passkey you could not sign in any more. Add another one first.");
constexpr const char* kAdd = "add";  // parameter of the page with the form

bool is_of_this_address(const AccountVisit& visit, const store::Passkey& passkey) {
    return passkey.rp_id == visit.context().settings.login.rp_id;
}

bool is_usable(const AccountVisit& visit, const store::Passkey& passkey) {
    return !passkey.suspended_at && is_of_this_address(visit, passkey);
}

const char* state_of(const AccountVisit& visit, const store::Passkey& passkey) {
    if (passkey.suspended_at) return tr("suspended: a copy of it may exist");
    if (!is_usable(visit, passkey)) return tr("for an earlier address of this service, where it worked");
    return passkey.backed_up ? tr("synchronised") : tr("on one device only");
}

/// WEBAUTHN-26: password managers forget what is not in it. A suspended one is: the operator may resume it.
std::string accepted_ids(const AccountVisit& visit, const std::vector<store::Passkey>& passkeys) {
    const std::string handle = store::find_handle(visit.context().store, visit.subject());
    if (handle.empty()) return "";
    json::Array ids;
    for (const store::Passkey& passkey : passkeys)
        if (is_of_this_address(visit, passkey)) ids.emplace_back(base64url_encode(passkey.credential_id));
    return json::write(json::Object{{"rpId", visit.context().settings.login.rp_id},
                                    {"userId", base64url_encode(handle)},
                                    {"allAcceptedCredentialIds", std::move(ids)}});
}

/// With the user's only passkey.
bool ends_codes(const AccountVisit& visit) {
    const store::Factors factors = store::find_factors(visit.context().store, visit.subject());
    return factors.unused_codes > 0 && !factors.app;
}

http::Response list(AccountVisit& visit, const text::Message& problem) {
    return visit.with_browser_id([&] {
        const auto passkeys = store::list_passkeys(visit.context().store, visit.subject());
        PasskeysPage page;
        page.frame = frame_of(visit);
        page.frame.problem = problem;
        for (const store::Passkey& passkey : passkeys)
            page.passkeys.push_back({passkey.name, base64url_encode(passkey.credential_id), state_of(visit, passkey),
                                     text::shown_day(passkey.created_at),
                                     passkey.last_used_at ? text::shown_time(*passkey.last_used_at) : text::Message()});
        page.ends_codes = passkeys.size() == 1 && ends_codes(visit);
        page.wants_second = passkeys.size() == 1 && !passkeys[0].backed_up && is_usable(visit, passkeys[0]);
        if (passkeys.size() < store::kMaxPasskeys) page.another = http::with_query(visit.url(), {{kAdd, "yes"}});
        if (!page.frame.done.empty()) page.accepted = accepted_ids(visit, passkeys);
        return visit.pages.passkeys(page);
    });
}

/// The page was shown instead of what was asked for.
http::Response refused(http::Response response, const std::string& detail,
                       Reason reason = Reason::passkey_change_refused) {
    response.refusal = http::Refusal{reason, "the page of the passkeys was shown again", detail, ""};
    return response;
}

login::PasskeySetup setup_of(const AccountVisit& visit) {
    return {visit.context(), visit.interaction.browser, visit.request(), visit.subject(), visit.session.sid.str()};
}

http::Response form(AccountVisit& visit, const text::Message& problem) {
    const auto passkeys = store::list_passkeys(visit.context().store, visit.subject());
    if (passkeys.size() >= store::kMaxPasskeys)
        return refused(list(visit, login::kTooManyPasskeys), "there are 20 passkeys");
    return visit.with_browser_id([&] {
        PasskeysPage page;
        page.frame = frame_of(visit);
        page.frame.problem = problem;
        page.frame.state_parameter = kAdd;
        page.fresh = ask_for_own_passkey(setup_of(visit));
        page.list = visit.url();
        return visit.pages.passkeys(page);
    });
}

void note(const AccountVisit& visit, audit::Event event, std::string_view credential_id) {
    visit.context().trail.add(event, {audit::subject(visit.subject()),
                                      audit::session(visit.session.sid),
                                      {"passkey", audit::short_digest(credential_id)}});
}

http::Response add(AccountVisit& visit) {
    if (const auto faulty = login::faulty_new_passkey_field(visit.request().form))
        return refuse_malformed_form(visit, "field: " + *faulty);
    const auto proved = login::prove_new_passkey(setup_of(visit));
    if (!proved) return refused(form(visit, proved.error().problem), proved.error().detail, proved.error().reason);
    std::optional<login::PasskeyRefusal> refusal;
    const auto added =
        add_factor(visit, with_new_passkey(visit.session.how, *proved), [&](db::Transaction& transaction) {
            return add_own_passkey(visit.context(), visit.interaction.browser, transaction, *proved, refusal);
        });
    if (!added && is_added(visit.context(), *proved)) return done(visit, AccountDone::passkey_added);
    if (!added && !refusal) refusal = login::PasskeyRefusal{login::kAccountChanged, added.error()};
    if (refusal) return refused(form(visit, refusal->problem), refusal->detail, refusal->reason);
    note(visit, audit::Event::passkey_added, proved->row.credential_id);
    return show_added(visit, *added, AccountDone::passkey_added);
}

http::Response rename(AccountVisit& visit, std::string_view id) {
    const auto name = login::passkey_name_in(visit.request().form);
    if (!name) return refused(list(visit, login::kLongPasskeyName), "the name is too long");
    const bool renamed = db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        if (name->empty() || !store::rename_passkey(transaction, visit.subject(), id, *name)) return false;
        transaction.commit();
        return true;
    });
    return renamed ? done(visit, AccountDone::passkey_named) : http::see_other(visit.url());
}

/// Its authenticator finds it without a name (WEBAUTHN-11). A browser that did not say so is believed, as it is when
/// the passkey is made.
bool signs_in_alone(const AccountVisit& visit, const store::Passkey& passkey) {
    return is_usable(visit, passkey) && passkey.discoverable.value_or(true);
}

/// Whether no other passkey is good for what this one is good for.
bool is_last(const AccountVisit& visit, const std::vector<store::Passkey>& passkeys, std::string_view id,
             bool (&is_good)(const AccountVisit&, const store::Passkey&)) {
    bool is_good_now = false;
    bool has_another = false;
    for (const store::Passkey& passkey : passkeys) {
        bool& found = passkey.credential_id == id ? is_good_now : has_another;
        if (is_good(visit, passkey)) found = true;
    }
    return is_good_now && !has_another;
}

/// Where passwords are kept elsewhere, none is stored here and the user has one all the same.
bool has_password(const AccountVisit& visit, db::Database& database) {
    return !visit.context().settings.login.keeps_passwords() ||
           !store::find_password_hash(database, visit.subject()).empty();
}

/// WEBAUTHN-24. nullptr: nothing is against it.
const char* needed_for(const AccountVisit& visit, db::Transaction& transaction, std::string_view id) {
    db::Database& database = transaction.database();
    const auto passkeys = store::list_passkeys(database, visit.subject());
    if (is_last(visit, passkeys, id, signs_in_alone) && !has_password(visit, database)) return kLastWayIn;
    if (!is_last(visit, passkeys, id, is_usable)) return nullptr;
    if (store::find_factors(database, visit.subject()).app) return nullptr;
    const auto user = login::find_factor_state(visit.context(), database, visit.subject());
    return must_have_second_factor(visit, user) ? kLastFactor : nullptr;
}

/// A thief of the passkey may have a session by it, and could set a password there. Which passkey a session began with
/// is not kept, so that all others by passkey alone end.
std::vector<store::EndedSession> end_sessions_by_passkey(const AccountVisit& visit, db::Transaction& transaction) {
    oauth::Context& context = visit.context();
    const util::Time now = context.now();
    std::vector<store::EndedSession> ended;
    for (const model::Session& other :
         store::sessions_of(transaction.database(), visit.subject(), oauth::session_life(context.settings, now))) {
        if (other.sid == visit.session.sid || !was_by_passkey_alone(other.how)) continue;
        const auto grants =
            store::end_session(transaction, visit.subject(), other.sid, now, oauth::logout_notices(context));
        ended.push_back({other.sid, grants.value_or(0)});
    }
    return ended;
}

http::Response remove(AccountVisit& visit, std::string_view id) {
    const char* needed = nullptr;
    std::vector<store::EndedSession> ended;
    const bool removed = db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        if (!store::find_user_to_change(transaction, visit.subject())) return false;
        needed = needed_for(visit, transaction, id);
        if (needed != nullptr) return false;
        const auto passkey = store::find_passkey(transaction.database(), id);
        if (!store::remove_passkey(transaction, visit.subject(), id)) return false;
        visit.note(transaction, model::ActivityKind::passkey_removed, passkey ? passkey->name : "");
        end_codes_without_factor(transaction, visit.subject());
        store::raise_stamp(transaction, visit.subject());
        ended = end_sessions_by_passkey(visit, transaction);
        transaction.commit();
        return true;
    });
    if (needed != nullptr) return refused(list(visit, needed), "it is the last passkey, and the user needs one");
    if (removed) note(visit, audit::Event::passkey_removed, id);
    note_ended(visit, ended);
    return done(visit, AccountDone::passkey_removed);
}

}  // namespace

http::Response show_passkeys(AccountVisit& visit) {
    if (!visit.request().query.find(kAdd)) return list(visit, "");
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    if (needs_link(visit)) return refused(list(visit, kNeedsLink), kNeedsLinkDetail);
    return form(visit, "");
}

http::Response submit_passkeys(AccountVisit& visit) {
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    const http::Params& sent = visit.request().form;
    if (const auto faulty = sent.first_fault({"remove", "rename"}))
        return refuse_malformed_form(visit, "field: " + *faulty);
    if (!sent.find_typed("name")) return refuse_malformed_form(visit, "field: name");
    for (const auto& [field, change] : {std::pair{"remove", &remove}, std::pair{"rename", &rename}}) {
        const auto text = sent.find(field);
        if (!text) continue;
        const auto id = util::base64url_decode(*text);
        return id ? change(visit, *id) : refuse_malformed_form(visit, std::string("field: ") + field);
    }
    if (needs_link(visit)) return refused(list(visit, kNeedsLink), kNeedsLinkDetail);
    return add(visit);
}

}  // namespace postern::web
