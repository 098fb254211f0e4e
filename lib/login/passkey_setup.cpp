// How is a passkey added?
#include "login/passkey_setup.h"

#include <algorithm>
#include <utility>

#include "factor/authenticator_data.h"
#include "factor/passkey.h"
#include "json/writer.h"
#include "login/activity.h"
#include "oauth/acr.h"
#include "oauth/cors.h"
#include "store/factors.h"
#include "text/catalogue.h"
#include "text/message.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::login {
namespace {

using text::tr;
using util::base64url_encode;

constexpr const char* kRefused = tr("That passkey was not accepted. Try again.");
constexpr const char* kTooOld = tr("The page was open for too long. Try again.");
constexpr const char* kForeign = tr("The page was not of this browser. Try again.");

constexpr const char* kNotAlone =
    "You could not sign in with that passkey alone. Use one that asks for a fingerprint, face or PIN, or choose a "
    "password.";

constexpr std::size_t kMaxNameCharacters = 64;
/// So long after its page was made a form may add its passkey.
constexpr util::Seconds kFormTtl{600};

json::Array algorithms() {
    using crypto::Algorithm;
    json::Array offered;
    for (const Algorithm algorithm : {Algorithm::ES256, Algorithm::EdDSA, Algorithm::RS256})
        offered.emplace_back(json::Object{{"type", "public-key"}, {"alg", factor::cose_algorithm(algorithm)}});
    return offered;
}

/// WebAuthn §5.4, WEBAUTHN-4.
std::string creation_options(const PasskeySetup& setup, const PasskeyOwner& owner, const std::string& handle,
                             const std::string& challenge) {
    const oauth::Settings& settings = setup.context.settings;
    const char* wish = setup.use == PasskeyUse::alone ? "required" : "preferred";
    const json::Object selection{{"residentKey", wish}, {"userVerification", wish}};
    return json::write(json::Object{
        {"rp", json::Object{{"id", settings.login.rp_id}, {"name", settings.service_name()}}},
        {"user", json::Object{{"id", base64url_encode(handle)},
                              {"name", util::displayable(owner.username)},
                              {"displayName", util::displayable(owner.name.empty() ? owner.username : owner.name)}}},
        {"challenge", base64url_encode(challenge)},
        {"pubKeyCredParams", algorithms()},
        {"timeout", kCeremonyTimeout},
        {"excludeCredentials", json::array_of(owner.known, passkey_descriptor)},
        {"authenticatorSelection", selection},
        {"attestation", "none"},
        {"extensions", json::Object{{"credProps", true}}}});
}

ChallengeUse use_of(const PasskeySetup& setup) {
    return {factor::Ceremony::registration, setup.browser, setup.subject, setup.occasion};
}

std::size_t count_characters(std::string_view utf8) {
    return static_cast<std::size_t>(
        std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

text::Message proposed_name(util::Time now) { return {tr("Passkey, {date}"), {{"date", text::shown_day(now)}}}; }

/// The page is shown again after a refusal with the name that was typed (WCAG 2.2, 3.3.7).
text::Message name_to_show(const PasskeySetup& setup) {
    const std::string typed = util::displayable(setup.request.form.find_typed("name").value_or(""));
    return typed.empty() ? proposed_name(setup.context.now()) : text::Message::verbatim(typed);
}

/// Reads a field that the script fills, in base64url.
std::optional<std::string> bytes_in(const http::Params& sent, const char* field) {
    auto decoded = util::base64url_decode(sent.find(field).value_or(""));
    if (!decoded || decoded->empty()) return std::nullopt;
    return std::move(*decoded);
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

store::Passkey row_of(const PasskeySetup& setup, const factor::NewPasskey& made, std::string name) {
    const oauth::Context& context = setup.context;
    const http::Params& sent = setup.request.form;
    const std::string_view discoverable = sent.find("discoverable").value_or("");
    store::Passkey row;
    row.credential_id = made.credential_id;
    row.subject = setup.subject;
    row.rp_id = context.settings.login.rp_id;
    row.cose_key = made.cose_key;
    row.alg = factor::cose_algorithm(made.algorithm);
    row.sign_count = made.sign_count;
    row.backup_eligible = made.backup_eligible;
    row.backed_up = made.backed_up;
    if (discoverable == "yes" || discoverable == "no") row.discoverable = discoverable == "yes";
    row.transports = joined(factor::parse_transports(sent.find("transports").value_or("")));
    row.aaguid = made.aaguid;
    row.created_at = context.now();
    row.name = name.empty() ? text::Catalogue().say(proposed_name(row.created_at)) : std::move(name);
    return row;
}

PasskeyRefusal refusal_of(ChallengeFault fault) {
    if (fault == ChallengeFault::expired) return {kTooOld, "the form was older than 600 s"};
    return {kForeign,
            "the challenge was not sealed for this browser, user and session, or before the seal key was renewed"};
}

PasskeyRefusal refusal_of(factor::PasskeyFault fault) {
    using refusal::Reason;
    return {
        kRefused, std::string(factor::describe(fault)),
        fault == factor::PasskeyFault::origin ? Reason::passkey_change_refused_origin : Reason::passkey_change_refused};
}

/// Only a browser that does not say whether the authenticator keeps the passkey is believed (WebAuthn §10.1.3).
bool signs_in_alone(const ProvedPasskey& proved) {
    return proved.user_verified && proved.row.discoverable.value_or(true);
}

}  // namespace

json::Object passkey_descriptor(const store::Passkey& passkey) {
    json::Object credential{{"type", "public-key"}, {"id", base64url_encode(passkey.credential_id)}};
    const auto transports = factor::parse_transports(passkey.transports);
    if (!transports.empty()) credential.set("transports", json::strings(transports));
    return credential;
}

bool can_have_passkeys(const oauth::Settings& settings) {
    if (!oauth::offers_passkeys(settings)) return false;
    return settings.login.passkeys == Passkeys::login || settings.login.second_factor != SecondFactor::off;
}

std::string name_of(const json::Object& claims) {
    const json::Value* name = claims.find("name");
    const std::string* text = name != nullptr ? name->if_string() : nullptr;
    return text != nullptr ? *text : std::string();
}

NewPasskey ask_for_passkey(const PasskeySetup& setup, const PasskeyOwner& owner) {
    oauth::Context& context = setup.context;
    // The first passkey brings the handle with it: a page that is only looked at writes nothing.
    std::string handle = store::find_handle(context.store, setup.subject);
    if (handle.empty()) handle = context.random.bytes(store::kHandleBytes);
    auto challenge = make_challenge(context, use_of(setup), context.now() + kFormTtl, handle,
                                    store::find_stamp(context.store, setup.subject));
    return {creation_options(setup, owner, handle, challenge.bytes), std::move(challenge.sealed), name_to_show(setup)};
}

bool has_new_passkey(const http::Params& sent) { return !sent.find("attestation_object").value_or("").empty(); }

std::optional<std::string> faulty_new_passkey_field(const http::Params& sent) {
    if (auto faulty =
            sent.first_fault({"id", "client_data", "attestation_object", "challenge", "transports", "discoverable"}))
        return faulty;
    if (!sent.find_typed("name")) return "name";
    for (const char* field : {"id", "client_data", "attestation_object"})
        if (!bytes_in(sent, field)) return std::string(field);
    return std::nullopt;
}

std::optional<std::string> passkey_name_in(const http::Params& sent) {
    std::string name = util::displayable(sent.find_typed("name").value_or(""));
    if (count_characters(name) > kMaxNameCharacters) return std::nullopt;
    return name;
}

util::Result<ProvedPasskey, PasskeyRefusal> prove_new_passkey(const PasskeySetup& setup) {
    oauth::Context& context = setup.context;
    const http::Params& sent = setup.request.form;
    auto name = passkey_name_in(sent);
    if (!name) return PasskeyRefusal{kLongPasskeyName, "the name is too long"};
    auto challenge = open_challenge(context, sent.find("challenge").value_or(""), use_of(setup));
    if (!challenge) return refusal_of(challenge.error());
    const auto made = factor::verify_registration(
        {bytes_in(sent, "id").value_or(""), bytes_in(sent, "client_data").value_or(""),
         bytes_in(sent, "attestation_object").value_or("")},
        {challenge->bytes, oauth::origin_of(context.settings.issuer).value_or(""), context.settings.login.rp_id});
    if (!made) return refusal_of(made.error());
    ProvedPasskey proved{row_of(setup, *made, std::move(*name)), std::move(*challenge), made->user_verified};
    if (setup.use == PasskeyUse::alone && !signs_in_alone(proved))
        return PasskeyRefusal{kNotAlone, "the authenticator has not verified the user, or does not keep the passkey"};
    return proved;
}

util::Result<void, PasskeyRefusal> add_passkey(const oauth::Context& context, const Browser& browser,
                                               db::Transaction& transaction, const ProvedPasskey& proved,
                                               std::int64_t known) {
    const model::Subject& subject = proved.row.subject;
    if (known >= static_cast<std::int64_t>(store::kMaxPasskeys))
        return PasskeyRefusal{kTooManyPasskeys, "there are 20 passkeys"};
    if (!store::spend_challenge(transaction, proved.challenge.bytes, proved.challenge.expires_at))
        return PasskeyRefusal{kRefused, "the challenge was spent before"};
    if (store::find_stamp(transaction.database(), subject) != proved.challenge.stamp)
        return PasskeyRefusal{kAccountChanged, "the password or a second factor was changed since the page was made"};
    if (!store::set_handle_if_unset(transaction, subject, proved.challenge.handle))
        return PasskeyRefusal{kAccountChanged,
                              "another page has added the first passkey meanwhile, with another handle"};
    if (!store::insert_passkey(transaction, proved.row))
        return PasskeyRefusal{kRefused, "the credential id is one of another passkey"};
    store::raise_stamp(transaction, subject);
    note_activity(context, transaction, browser, subject, model::ActivityKind::passkey_added, proved.row.name);
    return {};
}

}  // namespace postern::login
