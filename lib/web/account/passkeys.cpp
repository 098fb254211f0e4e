// The page of a user's passkeys.
#include "web/account/passkeys.h"

#include <algorithm>

#include "db/write.h"
#include "factor/cose_key.h"
#include "factor/registration.h"
#include "factor/transports.h"
#include "http/url.h"
#include "json/writer.h"
#include "oauth/acr.h"
#include "store/factors.h"
#include "store/passkeys.h"
#include "store/second_factor.h"
#include "store/users.h"
#include "util/base64.h"
#include "util/text.h"
#include "web/account/app.h"
#include "web/account/app_setup.h"
#include "web/account/codes.h"
#include "web/account/new_app.h"
#include "web/half_login.h"
#include "web/passkey_challenge.h"
#include "web/shown_time.h"

namespace postern::web {
namespace {

using util::base64url_encode;

constexpr const char* kRefused = "That passkey was not accepted. Try again.";
constexpr const char* kTooOld = "The page was open for too long. Try again.";
constexpr const char* kForeign = "The page was not of this browser. Try again.";
constexpr const char* kChanged = "Your account was changed meanwhile. Try again.";
constexpr const char* kTooMany = "You have as many passkeys as there can be. Remove one first.";
constexpr const char* kLongName = "A name has at most 64 characters.";
constexpr const char* kLastFactor =
    "This is your only second factor, and you must sign in with one. Add another one first.";
constexpr const char* kLastWayIn = "Without this passkey you could not sign in any more. Add another one first.";
constexpr const char* kAdded = "Your passkey is added.";

constexpr std::size_t kMaxNameCharacters = 64;
/// WebAuthn §5.4: a hint for the browser, in milliseconds.
constexpr std::int64_t kCeremonyTimeout = 300000;

bool is_usable(const AccountVisit& visit, const store::Passkey& passkey) {
    return !passkey.suspended_at && passkey.rp_id == visit.context().settings.login.rp_id;
}

std::string state_of(const AccountVisit& visit, const store::Passkey& passkey) {
    if (passkey.suspended_at) return "suspended: a copy of it may exist";
    if (!is_usable(visit, passkey)) return "for an earlier address of this service, where it worked";
    return passkey.backed_up ? "synchronised" : "on one device only";
}

/// WEBAUTHN-26: password managers forget what is not in it.
std::string accepted_ids(const AccountVisit& visit, const std::vector<store::Passkey>& passkeys) {
    const std::string handle = store::find_handle(visit.context().store, visit.subject());
    if (handle.empty()) return "";
    json::Array ids;
    for (const store::Passkey& passkey : passkeys)
        if (is_usable(visit, passkey)) ids.emplace_back(base64url_encode(passkey.credential_id));
    return json::write(json::Object{{"rpId", visit.context().settings.login.rp_id},
                                    {"userId", base64url_encode(handle)},
                                    {"allAcceptedCredentialIds", std::move(ids)}});
}

http::Response list(AccountVisit& visit, const std::string& problem) {
    return with_browser_id(visit, [&] {
        const auto passkeys = store::list_passkeys(visit.context().store, visit.subject());
        PasskeysPage page;
        page.frame = frame_of(visit);
        page.frame.problem = problem;
        for (const store::Passkey& passkey : passkeys)
            page.passkeys.push_back({passkey.name, base64url_encode(passkey.credential_id), state_of(visit, passkey),
                                     shown_day(passkey.created_at),
                                     passkey.last_used_at ? shown_time(*passkey.last_used_at) : ""});
        page.wants_second = passkeys.size() == 1 && !passkeys[0].backed_up && is_usable(visit, passkeys[0]);
        if (passkeys.size() < store::kMaxPasskeys) page.another = http::with_query(visit.url(), {{"add", "yes"}});
        if (!page.frame.done.empty()) page.accepted = accepted_ids(visit, passkeys);
        return visit.pages.passkeys(page);
    });
}

/// The page was shown instead of what was asked for.
http::Response refused(http::Response response, const std::string& detail) {
    response.refusal = http::Refusal{"passkey_change_refused", "the page of the passkeys was shown again", detail, ""};
    return response;
}

json::Object described(const store::Passkey& passkey) {
    json::Object credential{{"type", "public-key"}, {"id", base64url_encode(passkey.credential_id)}};
    json::Array transports;
    for (std::string& word : factor::parse_transports(passkey.transports)) transports.emplace_back(std::move(word));
    if (!transports.empty()) credential.set("transports", std::move(transports));
    return credential;
}

json::Array algorithms() {
    using crypto::Algorithm;
    json::Array offered;
    for (const Algorithm algorithm : {Algorithm::ES256, Algorithm::EdDSA, Algorithm::RS256})
        offered.emplace_back(json::Object{{"type", "public-key"}, {"alg", factor::cose_algorithm(algorithm)}});
    return offered;
}

std::string name_of(const model::User& user) {
    const json::Value* name = user.claims.find("name");
    const bool is_there = name != nullptr && name->if_string() != nullptr && !name->if_string()->empty();
    return is_there ? *name->if_string() : user.username;
}

/// WebAuthn §5.4, WEBAUTHN-4.
std::string creation_options(const AccountVisit& visit, const std::vector<store::Passkey>& passkeys,
                             const std::string& handle, const std::string& challenge) {
    const oauth::Settings& settings = visit.context().settings;
    const auto user = store::find_user(visit.context().store, visit.subject());
    if (!user) return "";
    json::Array known;
    for (const store::Passkey& passkey : passkeys) known.emplace_back(described(passkey));
    const json::Object selection{{"residentKey", "preferred"}, {"userVerification", "preferred"}};
    const auto issuer = http::parse_url(settings.issuer);
    return json::write(json::Object{
        {"rp", json::Object{{"id", settings.login.rp_id}, {"name", issuer ? issuer->host : settings.issuer}}},
        {"user", json::Object{{"id", base64url_encode(handle)},
                              {"name", util::displayable(user->username)},
                              {"displayName", util::displayable(name_of(*user))}}},
        {"challenge", base64url_encode(challenge)},
        {"pubKeyCredParams", algorithms()},
        {"timeout", kCeremonyTimeout},
        {"excludeCredentials", std::move(known)},
        {"authenticatorSelection", selection},
        {"attestation", "none"},
        {"extensions", json::Object{{"credProps", true}}}});
}

ChallengeUse use_of(const AccountVisit& visit) {
    return {factor::Ceremony::registration, visit.interaction.browser.binding(), visit.subject(),
            visit.session.sid.str()};
}

http::Response form(AccountVisit& visit, const std::string& problem) {
    oauth::Context& context = visit.context();
    const auto passkeys = store::list_passkeys(context.store, visit.subject());
    if (passkeys.size() >= store::kMaxPasskeys) return refused(list(visit, kTooMany), "there are 20 passkeys");
    return with_browser_id(visit, [&] {
        // The first passkey brings the handle with it: a page that is only looked at writes nothing.
        std::string handle = store::find_handle(context.store, visit.subject());
        if (handle.empty()) handle = context.random.bytes(store::kHandleBytes);
        const auto challenge = make_challenge(context, use_of(visit), context.now() + kNewAppTtl, handle);
        PasskeysPage page;
        page.frame = frame_of(visit);
        page.frame.problem = problem;
        page.options = creation_options(visit, passkeys, handle, challenge.bytes);
        page.challenge = challenge.sealed;
        page.name = "Passkey, " + shown_day(context.now());
        page.list = visit.url();
        return visit.pages.passkeys(page);
    });
}

std::size_t count_characters(std::string_view utf8) {
    return static_cast<std::size_t>(
        std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// As it is shown; "" when nothing of it would be. nullopt: it is too long.
std::optional<std::string> name_in(const http::Params& sent) {
    std::string name = util::displayable(util::trim(sent.find("name").value_or("")));
    if (count_characters(name) > kMaxNameCharacters) return std::nullopt;
    return name;
}

/// The fields that a browser's script fills, decoded.
struct Sent {
    std::string id, client_data, attestation_object;
};
util::Result<Sent, std::string> decode(const http::Params& form) {
    Sent sent;
    const std::pair<const char*, std::string*> fields[] = {
        {"id", &sent.id}, {"client_data", &sent.client_data}, {"attestation_object", &sent.attestation_object}};
    for (const auto& [name, bytes] : fields) {
        auto decoded = util::base64url_decode(form.find(name).value_or(""));
        if (!decoded || decoded->empty()) return std::string(name);
        *bytes = std::move(*decoded);
    }
    return sent;
}

std::string origin_of(const oauth::Settings& settings) {
    const auto issuer = http::parse_url(settings.issuer);
    if (!issuer) return settings.issuer;
    return issuer->scheme + "://" + issuer->host + (issuer->has_port ? ":" + issuer->port : "");
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

store::Passkey row_of(const AccountVisit& visit, const factor::NewPasskey& made, std::string name) {
    const http::Params& sent = visit.request().form;
    const std::string_view discoverable = sent.find("discoverable").value_or("");
    store::Passkey row;
    row.credential_id = made.credential_id;
    row.subject = visit.subject();
    row.rp_id = visit.context().settings.login.rp_id;
    row.cose_key = made.cose_key;
    row.alg = factor::cose_algorithm(made.algorithm);
    row.sign_count = made.sign_count;
    row.backup_eligible = made.backup_eligible;
    row.backed_up = made.backed_up;
    if (discoverable == "yes" || discoverable == "no") row.discoverable = discoverable == "yes";
    row.transports = joined(factor::parse_transports(sent.find("transports").value_or("")));
    row.aaguid = made.aaguid;
    row.created_at = visit.context().now();
    row.name = name.empty() ? "Passkey, " + shown_day(row.created_at) : std::move(name);
    return row;
}

/// A touch of a new passkey is worth as much as a code; one that has verified the user is worth what it is at a login.
model::Authentication raised(const model::Authentication& done, bool user_verified) {
    auto how = model::with_passkey(done, user_verified ? model::UserVerified::yes : model::UserVerified::no);
    if (!user_verified) how.level = std::max(done.level, model::Level::second_factor);
    return how;
}

struct Added {
    StartedSession session;
    std::vector<std::string> codes;  ///< when this is the user's first second factor
};

struct NotAdded {
    const char* problem;
    const char* detail;
};

/// All of it or nothing (STORE-2).
util::Result<Added, NotAdded> add_row(const AccountVisit& visit, const store::Passkey& row, const Challenge& challenge,
                                      bool user_verified) {
    oauth::Context& context = visit.context();
    using Outcome = util::Result<Added, NotAdded>;
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) -> Outcome {
        if (!store::find_user_to_change(transaction, visit.subject()))
            return NotAdded{kChanged, "the user is not there any more"};
        const store::Factors before = store::find_factors(transaction.database(), visit.subject());
        if (before.passkeys >= static_cast<std::int64_t>(store::kMaxPasskeys))
            return NotAdded{kTooMany, "there are 20 passkeys"};
        if (!store::spend_challenge(transaction, challenge.bytes, challenge.expires_at))
            return NotAdded{kRefused, "the challenge was spent before"};
        if (!store::keep_handle(transaction, visit.subject(), challenge.handle))
            return NotAdded{kChanged, "another page has added the first passkey meanwhile, with another handle"};
        if (!store::insert_passkey(transaction, row))
            return NotAdded{kRefused, "the credential id is one of another passkey"};
        Added added;
        // Where no second factor is asked for, or factor.key is missing, there are no codes.
        if (!before.any() && has_app_page(context.settings) && context.keys.has_factor_key())
            added.codes = make_codes(context, transaction, visit.subject());
        store::raise_stamp(transaction, visit.subject());
        auto session = raise_session(context, transaction, visit.interaction.browser, visit.session.sid,
                                     raised(oauth::authentication_of(context.settings, visit.session), user_verified));
        if (!session) return NotAdded{kChanged, "the session has ended"};
        added.session = std::move(*session);
        transaction.commit();
        return added;
    });
}

void note(const AccountVisit& visit, oauth::AuditEvent event, std::string_view credential_id) {
    visit.context().trail.add(event, {oauth::audit::subject(visit.subject()),
                                      oauth::audit::session(visit.session.sid),
                                      {"passkey", oauth::audit::short_digest(credential_id)}});
}

http::Response add(AccountVisit& visit) {
    oauth::Context& context = visit.context();
    const http::Params& fields = visit.request().form;
    if (const auto faulty = fields.first_fault(
            {"id", "client_data", "attestation_object", "challenge", "transports", "discoverable", "name"}))
        return refuse_malformed_form(visit, "field: " + *faulty);
    const auto sent = decode(fields);
    if (!sent) return refuse_malformed_form(visit, "field: " + sent.error());
    auto name = name_in(fields);
    if (!name) return refused(form(visit, kLongName), "the name is too long");
    const auto challenge = open_challenge(context, fields.find("challenge").value_or(""), use_of(visit));
    if (!challenge && challenge.error() == ChallengeFault::expired)
        return refused(form(visit, kTooOld), "the form was older than 600 s");
    if (!challenge)
        return refused(form(visit, kForeign),
                       "the challenge was not sealed for this browser, user and session, or before the seal key "
                       "was renewed");
    const auto made =
        factor::verify_registration({sent->id, sent->client_data, sent->attestation_object},
                                    {challenge->bytes, origin_of(context.settings), context.settings.login.rp_id});
    if (!made) return refused(form(visit, kRefused), std::string(factor::describe(made.error())));

    const store::Passkey row = row_of(visit, *made, std::move(*name));
    auto added = add_row(visit, row, *challenge, made->user_verified);
    if (!added) {
        // A second press of the button: the first one has added it.
        const auto known = store::find_passkey(context.store, row.credential_id);
        if (known && known->subject == visit.subject() && known->cose_key == row.cose_key)
            return done(visit, AccountDone::passkey_added);
        return refused(form(visit, added.error().problem), added.error().detail);
    }
    note(visit, oauth::AuditEvent::passkey_added, row.credential_id);
    visit.interaction.browser.session = added->session.session;
    http::Response response =
        added->codes.empty() ? done(visit, AccountDone::passkey_added) : show_new_codes(visit, added->codes, kAdded);
    send_session(visit.interaction.browser, added->session, response);
    return response;
}

http::Response rename(AccountVisit& visit, std::string_view id) {
    const auto name = name_in(visit.request().form);
    if (!name) return refused(list(visit, kLongName), "the name is too long");
    const bool renamed = db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        if (name->empty() || !store::rename_passkey(transaction, visit.subject(), id, *name)) return false;
        transaction.commit();
        return true;
    });
    return renamed ? done(visit, AccountDone::passkey_named) : http::see_other(visit.url());
}

/// WEBAUTHN-24. nullptr: nothing is against it.
const char* needed_for(const AccountVisit& visit, db::Transaction& transaction, std::string_view id) {
    db::Database& database = transaction.database();
    bool is_usable_now = false;
    bool has_another = false;
    for (const store::Passkey& passkey : store::list_passkeys(database, visit.subject()))
        (passkey.credential_id == id ? is_usable_now : has_another) |= is_usable(visit, passkey);
    if (!is_usable_now || has_another) return nullptr;
    if (store::find_password_hash(database, visit.subject()).empty()) return kLastWayIn;
    if (store::find_factors(database, visit.subject()).app) return nullptr;
    const auto state = store::find_second_factor(database, visit.subject(), "");
    return demanded_of_user(visit.context().settings, state) >= model::Level::second_factor ? kLastFactor : nullptr;
}

http::Response remove(AccountVisit& visit, std::string_view id) {
    const char* needed = nullptr;
    const bool removed = db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        if (!store::find_user_to_change(transaction, visit.subject())) return false;
        needed = needed_for(visit, transaction, id);
        if (needed != nullptr || !store::remove_passkey(transaction, visit.subject(), id)) return false;
        end_codes_without_factor(transaction, visit.subject());
        store::raise_stamp(transaction, visit.subject());
        transaction.commit();
        return true;
    });
    if (needed != nullptr) return refused(list(visit, needed), "it is the last passkey, and the user needs one");
    if (removed) note(visit, oauth::AuditEvent::passkey_removed, id);
    return done(visit, AccountDone::passkey_removed);
}

}  // namespace

bool has_passkeys_page(const oauth::Settings& settings) {
    const oauth::LoginSettings& login = settings.login;
    if (login.method != oauth::LoginMethod::password || login.rp_id.empty()) return false;
    return login.passkeys == oauth::Passkeys::login ||
           (login.passkeys == oauth::Passkeys::second_factor && login.second_factor != oauth::SecondFactor::off);
}

http::Response show_passkeys(AccountVisit& visit) {
    if (!visit.request().query.find("add")) return list(visit, "");
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    if (needs_link(visit)) return refused(list(visit, kNeedsLink), kNeedsLinkDetail);
    return form(visit, "");
}

http::Response submit_passkeys(AccountVisit& visit) {
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    const http::Params& sent = visit.request().form;
    if (const auto faulty = sent.first_fault({"remove", "rename", "name"}))
        return refuse_malformed_form(visit, "field: " + *faulty);
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
