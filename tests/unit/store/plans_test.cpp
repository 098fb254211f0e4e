// How the engine of the run finds the rows of each statement that the repositories prepare.
#include <algorithm>
#include <filesystem>
#include <list>
#include <regex>
#include <set>
#include <span>

#include "db/engine.h"
#include "store/activity.h"
#include "store/authorization_requests.h"
#include "store/client_access.h"
#include "store/client_claims.h"
#include "store/client_keys.h"
#include "store/consents.h"
#include "store/device_codes.h"
#include "store/factors.h"
#include "store/fetched.h"
#include "store/groups.h"
#include "store/links.h"
#include "store/login_attempts.h"
#include "store/logout_outbox.h"
#include "store/mail_requests.h"
#include "store/passkeys.h"
#include "store/registration_tokens.h"
#include "store/remembered_devices.h"
#include "store/resources.h"
#include "store/second_factor.h"
#include "store/session_clients.h"
#include "store/sessions.h"
#include "store/sites.h"
#include "store/statistics.h"
#include "store/sweep.h"
#include "store/token_list.h"
#include "store/users.h"
#include "support/rows.h"
#include "unit/store/fixture.h"

namespace postern {
namespace {

using namespace test;
using model::ClientId;
using model::GrantId;
using model::RequestKey;
using model::Sid;
using model::Subject;
using model::ValueHash;

const Subject kUser("sub-1");
const ClientId kClient("client");
const RequestKey kRequest("request");
constexpr Seconds kMinute{60};

model::Session session(const char* cookie, const char* sid = "sid") {
    model::Session session;
    session.cookie_hash = ValueHash(cookie);
    session.sid = Sid(sid);
    session.subject = kUser;
    session.created_at = kNow;
    session.last_seen_at = kNow;
    session.expires_at = kNow + kMinute;
    return session;
}

store::LogoutNotices notices() {
    static crypto::SeededRandom random("plans");
    return {.has_clients = true, .backchannel = true, .random = &random};
}

model::Client site(const char* url) {
    model::Client site = client("site");
    site.site.emplace();
    site.site->url = url;
    return site;
}

model::DeviceCode device_code(const char* hash) {
    model::DeviceCode code;
    code.device_hash = ValueHash(hash);
    code.user_code_hash = ValueHash(hash);
    code.client_id = kClient;
    code.expires_at = kNow + kMinute;
    return code;
}

model::Resource resource() {
    model::Resource resource;
    resource.uri = "https://api.example/";
    resource.aliases = {"https://alias.example/"};
    return resource;
}

model::RefreshToken refresh_token(const char* hash, std::optional<ValueHash> parent = std::nullopt) {
    auto token = refresh_token_of("a");
    token.token_hash = ValueHash(hash);
    token.parent_hash = parent;
    return token;
}

store::Passkey passkey() {
    store::Passkey passkey;
    passkey.credential_id = "id";
    passkey.subject = kUser;
    passkey.created_at = kNow;
    return passkey;
}

model::Link link() {
    model::Link link;
    link.token_hash = ValueHash("link");
    link.subject = kUser;
    link.expires_at = kNow + kMinute;
    return link;
}

model::MailRequest mail(const char* id) {
    model::MailRequest request;
    request.id = id;
    request.subject = kUser;
    return request;
}

store::RememberedDevice device() {
    store::RememberedDevice device;
    device.token_hash = ValueHash("device");
    device.id = "id";
    device.subject = kUser;
    device.created_at = kNow;
    device.expires_at = kNow + kMinute;
    return device;
}

/// Of the data of with_tokens(), in this order.
struct Call {
    const char* function;
    void (*run)(db::Transaction& t);
};
constexpr Call kCalls[] = {
    {"insert_access_token", [](auto& t) { store::insert_access_token(t, token("new", "a")); }},
    {"find_access_token", [](auto& t) { store::find_access_token(t.database(), key_of(token("new", "a"))); }},
    {"revoke_access_token", [](auto& t) { store::revoke_access_token(t, key_of(token("new", "a")), kNow); }},
    {"delete_expired_access_tokens", [](auto& t) { store::delete_expired_access_tokens(t, GrantId("a"), kNow); }},
    {"walk_expired_access_tokens",
     [](auto& t) {
         store::AccessTokenKey last;
         store::walk_expired_access_tokens(t, last, kNow);
     }},

    {"find_factors", [](auto& t) { store::find_factors(t.database(), kUser); }},
    {"find_totp", [](auto& t) { store::find_totp(t.database(), kUser); }},
    {"list_totp", [](auto& t) { store::list_totp(t.database(), Subject(""), 3); }},
    {"replace_totp", [](auto& t) { store::replace_totp(t, kUser, "sealed", 1, kNow); }},
    {"spend_totp_step", [](auto& t) { store::spend_totp_step(t, kUser, 2, kNow); }},
    {"reseal_totp", [](auto& t) { store::reseal_totp(t, kUser, "sealed", "again"); }},
    {"remove_totp", [](auto& t) { store::remove_totp(t, kUser); }},
    {"replace_recovery_codes", [](auto& t) { store::replace_recovery_codes(t, kUser, {"hash"}, kNow); }},
    {"has_unused_code", [](auto& t) { store::has_unused_code(t.database(), kUser, "hash"); }},
    {"spend_recovery_code", [](auto& t) { store::spend_recovery_code(t, kUser, "hash", kNow); }},
    {"remove_recovery_codes", [](auto& t) { store::remove_recovery_codes(t, kUser); }},
    {"has_unused_codes", [](auto& t) { store::has_unused_codes(t.database()); }},
    {"has_unused_code_under", [](auto& t) { store::has_unused_code_under(t.database(), kUser, "name."); }},
    {"remove_dead_recovery_codes", [](auto& t) { store::remove_dead_recovery_codes(t, "name."); }},
    {"find_stamp", [](auto& t) { store::find_stamp(t.database(), kUser); }},
    {"is_user_unchanged", [](auto& t) { store::is_user_unchanged(t.database(), kUser, 1); }},
    {"raise_stamp", [](auto& t) { store::raise_stamp(t, kUser); }},
    {"insert_passkey", [](auto& t) { store::insert_passkey(t, passkey()); }},
    {"list_passkeys", [](auto& t) { store::list_passkeys(t.database(), kUser); }},
    {"find_passkey", [](auto& t) { store::find_passkey(t.database(), "id"); }},
    {"rename_passkey", [](auto& t) { store::rename_passkey(t, kUser, "id", "Phone"); }},
    {"use_passkey", [](auto& t) { store::use_passkey(t, "id", 1, false, false, kNow); }},
    {"suspend_passkey", [](auto& t) { store::suspend_passkey(t, "id", kNow); }},
    {"resume_passkey", [](auto& t) { store::resume_passkey(t, kUser, "id"); }},
    {"passkey_ids", [](auto& t) { store::passkey_ids(t.database(), kUser); }},
    {"remove_passkey", [](auto& t) { store::remove_passkey(t, kUser, "id"); }},
    {"remove_passkeys", [](auto& t) { store::remove_passkeys(t, kUser); }},
    {"set_handle_if_unset", [](auto& t) { store::set_handle_if_unset(t, kUser, "handle"); }},
    {"find_handle", [](auto& t) { store::find_handle(t.database(), kUser); }},
    {"remember_device", [](auto& t) { store::remember_device(t, device()); }},
    {"use_device", [](auto& t) { store::use_device(t, kUser, ValueHash("device"), ValueHash("next"), kNow, kMinute); }},
    {"devices_of", [](auto& t) { store::devices_of(t.database(), kUser, kNow, kMinute); }},
    {"forget_device", [](auto& t) { store::forget_device(t, kUser, "id"); }},
    {"forget_device by its value", [](auto& t) { store::forget_device(t, ValueHash("device")); }},
    {"forget_devices", [](auto& t) { store::forget_devices(t, kUser); }},
    {"insert_link", [](auto& t) { store::insert_link(t, link()); }},
    {"find_link", [](auto& t) { store::find_link(t.database(), ValueHash("link")); }},
    {"spend_link", [](auto& t) { store::spend_link(t, link(), kNow); }},
    {"insert_mail", [](auto& t) { store::insert_mail(t, mail("mail")); }},
    {"insert_reset", [](auto& t) { store::insert_reset(t, mail("reset")); }},
    {"find_asked_mail", [](auto& t) { store::find_asked_mail(t.database(), 1); }},
    {"find_due_mail", [](auto& t) { store::find_due_mail(t.database(), kNow, 1); }},
    {"is_notice_due", [](auto& t) { store::is_notice_due(t.database(), kNow); }},
    {"postpone_mail", [](auto& t) { store::postpone_mail(t, mail("mail"), kNow); }},
    {"claim_mail", [](auto& t) { store::claim_mail(t, mail("mail"), kNow); }},
    {"remove_mail", [](auto& t) { store::remove_mail(t, "mail", 0); }},
    {"fail_mail", [](auto& t) { store::fail_mail(t, "reset", 0, kNow); }},
    {"list_mail", [](auto& t) { store::list_mail(t.database()); }},
    {"count_mail", [](auto& t) { store::count_mail(t.database(), kNow); }},
    {"subjects_with_email", [](auto& t) { store::subjects_with_email(t.database(), "key", 1); }},
    {"spend_challenge", [](auto& t) { store::spend_challenge(t, "challenge", kNow); }},
    {"add_activity", [](auto& t) { store::add_activity(t, kUser, {.at = kNow}); }},
    {"add_activity_once", [](auto& t) { store::add_activity_once(t, kUser, {.at = kNow}); }},
    {"list_activity", [](auto& t) { store::list_activity(t.database(), kUser, kNow); }},
    {"find_second_factor", [](auto& t) { store::find_second_factor(t.database(), kUser, "op.example"); }},
    {"let_enrol", [](auto& t) { store::let_enrol(t, kUser, kNow); }},
    {"demand_second_factor", [](auto& t) { store::demand_second_factor(t, kUser, false); }},
    {"demand_second_factor_of_group", [](auto& t) { store::demand_second_factor_of_group(t, "staff", false); }},
    {"must_have_second_factor", [](auto& t) { store::must_have_second_factor(t.database(), kUser); }},
    {"is_demanded_of_group", [](auto& t) { store::is_demanded_of_group(t.database(), "staff"); }},
    {"count_factors, with a demand on some",
     [](auto& t) { store::count_factors(t.database(), store::Demand::marked, "host"); }},
    {"count_factors, with a demand on all",
     [](auto& t) { store::count_factors(t.database(), store::Demand::all, "host"); }},
    {"count_former_passkeys", [](auto& t) { store::count_former_passkeys(t.database(), "host"); }},
    {"count_marked", [](auto& t) { store::count_marked(t.database()); }},
    {"find_code_state", [](auto& t) { store::find_code_state(t.database(), kUser, "", kNow); }},
    {"count_code_failure", [](auto& t) { store::count_code_failure(t, kUser, store::CodePlace::other); }},
    {"delay_codes", [](auto& t) { store::delay_codes(t, kUser, store::CodePlace::other, kNow + kMinute); }},
    {"clear_code_failures", [](auto& t) { store::clear_code_failures(t, kUser); }},

    {"record_login", [](auto& t) { store::record_login(t, kRequest, kUser, kNow + kMinute); }},
    {"record_decision",
     [](auto& t) { store::record_decision(t, kRequest, kUser, model::Decision::approved, kNow + kMinute); }},
    {"find_progress", [](auto& t) { store::find_progress(t.database(), kRequest); }},
    {"find_progress_to_change", [](auto& t) { store::find_progress_to_change(t, kRequest); }},
    {"use_request", [](auto& t) { store::use_request(t, kRequest, kUser, kNow + kMinute); }},
    {"end_open_requests", [](auto& t) { store::end_open_requests(t, kUser); }},

    {"find_client", [](auto& t) { store::find_client(t.database(), kClient, kNow); }},
    {"is_client", [](auto& t) { store::is_client(t.database(), kClient); }},
    {"find_client_to_change", [](auto& t) { store::find_client_to_change(t, kClient, kNow); }},
    {"find_client_at", [](auto& t) { store::find_client_at(t.database(), "https://app.example/a"); }},
    {"find_client without secrets", [](auto& t) { store::find_client(t.database(), kClient); }},
    {"find_client_to_authenticate", [](auto& t) { store::find_client_to_authenticate(t.database(), kClient, kNow); }},
    {"list_clients", [](auto& t) { store::list_clients(t.database(), kNow); }},
    {"find_clients_of_origin",
     [](auto& t) { store::find_clients_of_origin(t.database(), "https://app.example", std::nullopt); }},
    {"insert_client", [](auto& t) { store::insert_client(t, client("new")); }},
    {"update_client", [](auto& t) { store::update_client(t, client("new")); }},
    {"replace_client_secret",
     [](auto& t) { store::replace_client_secret(t, kClient, ValueHash("secret"), std::nullopt, kNow); }},
    {"update_description", [](auto& t) { store::update_description(t, client("new")); }},
    {"touch_client", [](auto& t) { store::touch_client(t, kClient, kNow, kNow); }},
    {"count_fleeting_clients", [](auto& t) { store::count_fleeting_clients(t.database()); }},
    {"count_fleeting_clients of a user",
     [](auto& t) { store::count_fleeting_clients(t.database(), Subject("alice"), model::Origin::dynamic); }},
    {"set_brought_by", [](auto& t) { store::set_brought_by(t, kClient, Subject("alice")); }},
    {"list_clients of an origin",
     [](auto& t) { store::list_clients(t.database(), kNow, {}, model::Origin::dynamic); }},
    {"count_open_registrations", [](auto& t) { store::count_open_registrations(t.database()); }},
    {"has_unapproved", [](auto& t) { store::has_unapproved(t.database(), kNow - kMinute); }},
    {"remove_oldest_unapproved", [](auto& t) { store::remove_oldest_unapproved(t, kNow - kMinute); }},
    {"find_unused_registrations", [](auto& t) { store::find_unused_registrations(t.database(), kNow, kMinute); }},
    {"is_unused_registration",
     [](auto& t) { store::is_unused_registration(t.database(), kClient, kNow, kMinute); }},
    {"insert_registration_token", [](auto& t) { store::insert_registration_token(t, {"id", ValueHash("value"), "", 1, kNow, kNow}); }},
    {"is_usable_registration_token",
     [](auto& t) { store::is_usable_registration_token(t.database(), ValueHash("value"), kNow); }},
    {"use_registration_token", [](auto& t) { store::use_registration_token(t, ValueHash("value"), kNow); }},
    {"list_registration_tokens", [](auto& t) { store::list_registration_tokens(t.database()); }},
    {"remove_registration_token", [](auto& t) { store::remove_registration_token(t, "id"); }},
    {"remove_client", [](auto& t) { store::remove_client(t, ClientId("new")); }},

    {"save_consent",
     [](auto& t) {
         store::save_consent(t, {kClient, kUser, {}, kNow});
     }},
    {"list_consents", [](auto& t) { test::all_of(store::list_consents(t.database(), kClient, kUser)); }},
    {"remove_consents", [](auto& t) { store::remove_consents(t, ClientId("none")); }},
    {"remove_consent", [](auto& t) { store::remove_consent(t, kClient, kUser); }},

    {"find_code", [](auto& t) { store::find_code(t.database(), ValueHash("code a")); }},
    {"redeem_code", [](auto& t) { store::redeem_code(t, ValueHash("code a"), kNow); }},
    {"bind_grant", [](auto& t) { store::bind_grant(t, GrantId("b"), {"thumbprint", "certificate"}); }},
    {"burn_code", [](auto& t) { store::burn_code(t, ValueHash("code b"), kNow); }},
    {"insert_device_code", [](auto& t) { store::insert_device_code(t, device_code("device")); }},
    {"count_open_device_codes", [](auto& t) { store::count_open_device_codes(t.database(), kClient, "network", kNow); }},
    {"count_open_device_codes, all", [](auto& t) { store::count_open_device_codes(t.database(), kNow); }},
    {"find_device_code", [](auto& t) { store::find_device_code(t.database(), ValueHash("device")); }},
    {"find_typed_device_code", [](auto& t) { store::find_typed_device_code(t.database(), ValueHash("device")); }},
    {"record_poll", [](auto& t) { store::record_poll(t, ValueHash("device"), kNow); }},
    {"slow_polls", [](auto& t) { store::slow_polls(t, ValueHash("device"), kMinute); }},
    {"approve_device_code",
     [](auto& t) { store::approve_device_code(t, ValueHash("device"), kUser, GrantId("a"), kNow); }},
    {"redeem_device_code", [](auto& t) { store::redeem_device_code(t, ValueHash("device"), kNow); }},
    {"deny_device_code", [](auto& t) { store::deny_device_code(t, ValueHash("device"), kUser, kNow); }},
    {"find_grant", [](auto& t) { store::find_grant(t.database(), GrantId("a")); }},
    {"end_grant", [](auto& t) { store::end_grant(t, GrantId("b"), kNow); }},
    {"end_grants_of", [](auto& t) { store::end_grants_of(t, kClient, kUser, kNow); }},
    {"end_grants_of, all of a client", [](auto& t) { store::end_grants_of(t, ClientId("none"), kNow); }},
    {"has_grants", [](auto& t) { store::has_grants(t.database(), kClient); }},
    {"list_applications", [](auto& t) { store::list_applications(t.database(), kUser, kNow); }},
    {"end_surplus_grants", [](auto& t) { store::end_surplus_grants(t, grant("b"), kNow); }},
    {"end_grants_of_session", [](auto& t) { store::end_grants_of_session(t, Sid("no session"), kNow); }},

    {"find_attempts", [](auto& t) { store::find_attempts(t.database(), {"user:alice"}, kNow); }},
    {"count_failures", [](auto& t) { store::count_failures(t, {"user:alice"}, kNow, kMinute); }},
    {"measure_pressure", [](auto& t) { store::measure_pressure(t.database(), kNow, 5, 10); }},
    {"count_uses", [](auto& t) { store::count_uses(t, {{"mail-all", 1, kMinute}}, kNow); }},
    {"clear_failures", [](auto& t) { store::clear_failures(t, "user:alice"); }},
    {"hold_key", [](auto& t) { store::hold_key(t, "name:alice", kNow + kMinute); }},
    {"remember_place", [](auto& t) { store::remember_place(t, "known:alice", kNow + kMinute); }},

    {"find_fetched", [](auto& t) { store::find_fetched(t.database(), "digest"); }},
    {"save_fetched",
     [](auto& t) {
         store::save_fetched(t, "digest", {"", "", kNow, kNow, kNow});
     }},
    {"mark_used", [](auto& t) { store::mark_used(t, "digest", kNow); }},
    {"withdraw_fetched", [](auto& t) { store::withdraw_fetched(t, "digest"); }},
    {"find_fetch_counts",
     [](auto& t) {
         store::find_fetch_counts(t.database(), {"failed:a", "silent:a", "host:a", "all", "", ""}, kNow);
     }},
    {"count_fetch", [](auto& t) { store::count_fetch(t, "all", kNow, kMinute); }},
    {"remember_failure", [](auto& t) { store::remember_failure(t, "failed:a", {1, kNow}); }},
    {"forget_failure", [](auto& t) { store::forget_failure(t, "failed:a"); }},

    {"find_refresh_token",
     [](auto& t) { store::find_refresh_token(t.database(), GrantId("a"), ValueHash("refresh of a")); }},
    {"find_opaque_refresh_token", [](auto& t) { store::find_opaque_refresh_token(t.database(), ValueHash("opaque")); }},
    {"rotate_refresh_token, a first use, a retry, and a use of the successor",
     [](auto& t) {
         store::rotate_refresh_token(t, refresh_token("refresh of a"), ValueHash("next"), kNow, kMinute);
         store::insert_refresh_token(t, refresh_token("next", ValueHash("refresh of a")));
         store::rotate_refresh_token(t, refresh_token("refresh of a"), ValueHash("sibling"), kNow, kMinute);
         store::insert_refresh_token(t, refresh_token("sibling", ValueHash("refresh of a")));
         store::rotate_refresh_token(t, refresh_token("next", ValueHash("refresh of a")), ValueHash("last"), kNow,
                                     kMinute);
     }},
    {"revoke_refresh_tokens", [](auto& t) { store::revoke_refresh_tokens(t, GrantId("a"), kNow); }},

    {"may_use", [](auto& t) { store::may_use(t.database(), kClient, kUser); }},
    {"find_standing", [](auto& t) { store::find_standing(t, session("cookie"), kClient, {kNow, kNow}); }},
    {"lock_access", [](auto& t) { store::lock_access(t); }},
    {"end_grants_without_access, of a client",
     [](auto& t) { store::end_grants_without_access(t, ClientId("none"), kNow); }},
    {"end_grants_without_access, of a user",
     [](auto& t) { store::end_grants_without_access(t, Subject("none"), kNow); }},
    {"find_client_access", [](auto& t) { store::find_client_access(t.database(), kClient); }},
    {"insert_group", [](auto& t) { store::insert_group(t, {"staff", "", kNow}); }},
    {"find_group", [](auto& t) { store::find_group(t.database(), "staff"); }},
    {"set_description", [](auto& t) { store::set_description(t, "staff", "All"); }},
    {"list_groups", [](auto& t) { test::all_of(store::list_groups(t.database())); }},
    {"list_members", [](auto& t) { test::all_of(store::list_members(t.database(), "staff")); }},
    {"add_member", [](auto& t) { store::add_member(t, "staff", kUser, kNow); }},
    {"groups_of", [](auto& t) { store::groups_of(t.database(), kUser); }},
    {"told_groups", [](auto& t) { store::told_groups(t.database(), kUser, kClient); }},
    {"allow_group", [](auto& t) { store::allow_group(t, kClient, "staff"); }},
    {"allow_user", [](auto& t) { store::allow_user(t, kClient, kUser); }},
    {"disallow_group", [](auto& t) { store::disallow_group(t, kClient, "staff"); }},
    {"disallow_user", [](auto& t) { store::disallow_user(t, kClient, kUser); }},
    {"forget_access", [](auto& t) { store::forget_access(t, kClient); }},
    {"clients_allowing", [](auto& t) { store::clients_allowing(t.database(), "staff"); }},
    {"unusable_clients", [](auto& t) { store::unusable_clients(t.database()); }},
    {"put_client_claim",
     [](auto& t) { store::put_client_claim(t, kClient, {"admin", {model::SourceKind::group, "staff"}, "groups"}); }},
    {"find_client_claims", [](auto& t) { store::find_client_claims(t.database(), kClient); }},
    {"find_claims_of", [](auto& t) { store::find_claims_of(t.database(), {model::SourceKind::group, "staff"}); }},
    {"remove_client_claim", [](auto& t) { store::remove_client_claim(t, kClient, "admin"); }},
    {"put_group_name", [](auto& t) { store::put_group_name(t, kClient, "staff", "Staff"); }},
    {"find_group_names", [](auto& t) { store::find_group_names(t.database(), kClient); }},
    {"clients_renaming", [](auto& t) { store::clients_renaming(t.database(), "staff"); }},
    {"remove_group_name", [](auto& t) { store::remove_group_name(t, kClient, "staff"); }},
    {"remove_member", [](auto& t) { store::remove_member(t, "staff", kUser); }},
    {"remove_group", [](auto& t) { store::remove_group(t, "staff"); }},

    {"insert_resource", [](auto& t) { store::insert_resource(t, resource()); }},
    {"find_resource", [](auto& t) { store::find_resource(t.database(), "https://api.example"); }},
    {"find_resource_to_change", [](auto& t) { store::find_resource_to_change(t, "https://api.example"); }},
    {"list_resources", [](auto& t) { test::all_of(store::list_resources(t.database())); }},
    {"update_resource", [](auto& t) { store::update_resource(t, resource()); }},
    {"remove_resource", [](auto& t) { store::remove_resource(t, "https://api.example/"); }},

    {"insert_client, a site", [](auto& t) { store::insert_client(t, site("https://x.example/")); }},
    {"update_client, a site", [](auto& t) { store::update_client(t, site("https://x.example/a/")); }},
    {"find_sites", [](auto& t) { store::find_sites(t.database(), "https://x.example"); }},
    {"list_sites", [](auto& t) { store::list_sites(t.database()); }},
    {"find_site", [](auto& t) { store::find_site(t.database(), "https://x.example/"); }},
    {"insert_client_keys", [](auto& t) { store::insert_client_keys(t, kClient, {.jwks_uri = "https://x.example/keys"}); }},
    {"find_client_keys", [](auto& t) { store::find_client_keys(t.database(), kClient); }},
    {"list_key_addresses",
     [](auto& t) { store::list_key_addresses(t.database(), store::KeyAddresses::upkept); }},
    {"remove_client_keys", [](auto& t) { store::remove_client_keys(t, kClient); }},

    {"insert_session", [](auto& t) { store::insert_session(t, session("cookie")); }},
    {"find_session", [](auto& t) { store::find_session(t.database(), ValueHash("cookie"), {kNow, kNow}); }},
    {"find_session_of", [](auto& t) { store::find_session_of(t.database(), kUser, Sid("sid"), {kNow, kNow}); }},
    {"touch_session", [](auto& t) { store::touch_session(t, ValueHash("cookie"), kNow); }},
    {"end_surplus_sessions", [](auto& t) { store::end_surplus_sessions(t, session("cookie"), {}); }},
    {"note_session_client",
     [](auto& t) {
         store::insert_session(t, session("noted", "noted"));
         store::note_session_client(t, kUser, Sid("noted"), kClient, kNow);
     }},
    {"is_session_stored", [](auto& t) { store::is_session_stored(t.database(), kUser, Sid("sid")); }},
    {"keep_session_clients", [](auto& t) { store::keep_session_clients(t, session("noted")); }},
    {"clients_of_session", [](auto& t) { store::clients_of_session(t.database(), Sid("sid")); }},
    {"end_surplus_sessions, told",
     [](auto& t) { store::end_surplus_sessions(t, session("cookie"), notices()); }},
    {"end_sessions, told",
     [](auto& t) {
         model::Client told = client("told");
         told.logout.backchannel = "https://told.example/out";
         store::insert_client(t, told);
         store::insert_session(t, session("told", "told"));
         store::note_session_client(t, kUser, Sid("told"), told.id, kNow);
         store::end_sessions(t, kUser, kNow, notices());
     }},
    {"find_due_notices", [](auto& t) { store::find_due_notices(t.database(), {}, kNow, 100); }},
    {"claim_notice", [](auto& t) { store::claim_notice(t, {.id = "id"}, kNow); }},
    {"remove_notice", [](auto& t) { store::remove_notice(t, "id", 0); }},
    {"count_notices", [](auto& t) { store::count_notices(t.database(), kNow); }},

    {"sessions_of", [](auto& t) { store::sessions_of(t.database(), kUser, {kNow, kNow}); }},
    {"count_sessions_of", [](auto& t) { store::count_sessions_of(t.database(), kUser, {kNow, kNow}); }},
    {"end_session", [](auto& t) { store::end_session(t, kUser, model::Sid("sid"), kNow, {}); }},
    {"replace_password", [](auto& t) { store::replace_password(t, kUser, "$y$hash", kNow, {}); }},
    {"list_sessions", [](auto& t) { test::all_of(store::list_sessions(t.database(), {kNow, kNow}, kUser)); }},
    {"subjects_with_sessions", [](auto& t) { store::subjects_with_sessions(t.database()); }},
    {"end_sessions", [](auto& t) { store::end_sessions(t, kUser, kNow, {}); }},
    {"has_session_row", [](auto& t) { store::has_session_row(t.database(), ValueHash("cookie")); }},
    {"delete_session_row", [](auto& t) { store::delete_session_row(t, ValueHash("cookie")); }},
    {"remove_session", [](auto& t) { store::remove_session(t, session("cookie"), kNow, {}); }},

    {"read_statistics", [](auto& t) { store::read_statistics(t.database(), {kNow, kNow}, kMinute); }},
    {"list_tokens", [](auto& t) { test::all_of(store::list_tokens(t.database(), {}, kNow, store::Listed::active)); }},
    {"find_living_grants", [](auto& t) { store::find_living_grants(t.database(), {}); }},
    {"count_sweepable", [](auto& t) { store::count_sweepable(t.database(), kNow); }},
    {"sweep", [](auto& t) { store::sweep(t, kNow); }},

    {"find_claims", [](auto& t) { store::find_claims(t.database(), kUser); }},
    {"find_username", [](auto& t) { store::find_username(t.database(), kUser); }},
    {"find_user", [](auto& t) { store::find_user(t.database(), kUser); }},
    {"find_user_to_change", [](auto& t) { store::find_user_to_change(t, kUser); }},
    {"find_names_like", [](auto& t) { store::find_names_like(t.database(), "ALICE"); }},
    {"find_subject", [](auto& t) { store::find_subject(t.database(), "alice"); }},
    {"find_user_by_name", [](auto& t) { store::find_user_by_name(t.database(), "alice"); }},
    {"find_user_by_name_to_change", [](auto& t) { store::find_user_by_name_to_change(t, "alice"); }},
    {"find_password", [](auto& t) { store::find_password(t.database(), kUser); }},
    {"find_password_state", [](auto& t) { store::find_password_state(t.database(), kUser); }},
    {"find_password_hash", [](auto& t) { store::find_password_hash(t.database(), kUser); }},
    {"pick_password_hash, after the last user", [](auto& t) { store::pick_password_hash(t.database(), "~"); }},
    {"find_origin", [](auto& t) { store::find_origin(t.database(), kUser); }},
    {"set_origin", [](auto& t) { store::set_origin(t, kUser, {"directory", kNow}); }},
    {"list_users_of_source", [](auto& t) { test::all_of(store::list_users_of_source(t.database(), "directory")); }},
    {"list_memberships", [](auto& t) { test::all_of(store::list_memberships(t.database(), "directory")); }},
    {"list_users", [](auto& t) { test::all_of(store::list_users(t.database())); }},
    {"insert_user", [](auto& t) { store::insert_user(t, user("sub-3", "carol")); }},
    {"update_user", [](auto& t) { store::update_user(t, user("sub-3", "carol")); }},
    {"update_claims", [](auto& t) { store::update_claims(t, user("sub-3", "carol")); }},
    {"set_password_hash", [](auto& t) { store::set_password_hash(t, kUser, "$y$hash", kNow); }},
    {"end_user_access", [](auto& t) { store::end_user_access(t, kUser, kNow, {}); }},
    {"remove_user", [](auto& t) { store::remove_user(t, Subject("sub-3"), kNow, {}); }},
};

/// A statement that is not held to the rule, by a part that it alone has.
struct Exception {
    const char* part;
    const char* reason;
};
constexpr Exception kLookAtAll[] = {
    {"FROM client_keys k JOIN clients c", "the command renews sets of clients"},
    {"FROM clients c WHERE c.origin = COALESCE", "a list for the command"},
    {"FROM registration_tokens ORDER BY", "a list for the command"},
    {"FROM sites s JOIN clients c ON c.id = s.client_id ORDER BY", "a list for the command"},
    {"FROM users ORDER BY username", "a list for the command"},
    {"FROM users WHERE source = $1", "a list for the command"},
    {"FROM users u JOIN group_members m", "a list for the command"},
    {"FROM groups g ORDER BY g.name", "a list for the command"},
    {"FROM resources r ORDER BY r.uri", "a list for the command"},
    {"FROM clients c WHERE c.restricted = 1", "a list for the command"},
    {"FROM group_members m JOIN users u", "a list for the command"},
    {"FROM consents c JOIN users", "a list for the command"},
    {"SELECT kind, grant_id", "a list for the command"},
    {"SELECT g.id FROM grants g WHERE ($1 IS NULL", "the command revokes what a filter selects"},
    {"SELECT subject FROM sessions UNION", "the command ends all sessions"},
    {"SELECT c.enabled, count(*) FROM sites s", "statistics"},
    {"SELECT enabled, count(*) FROM clients", "statistics"},
    {"SELECT enabled, count(*) FROM users", "statistics"},
    {"FROM clients WHERE origin = 'document'", "statistics"},
    {"FROM clients WHERE origin = 'dynamic'", "statistics, and a list for the command"},
    {"SELECT count(*) FROM clients WHERE restricted = 1", "statistics"},
    {"SELECT count(*) FROM remembered_devices d JOIN users u", "statistics"},
    {"FROM mail_requests ORDER BY created_at, id", "a list for the command"},
    {"FROM mail_requests WHERE failed_at IS NULL AND email_key IS NULL",
     "the command; kMaxWaitingResets and few others"},
    {"SUM(CASE WHEN failed_at IS NULL THEN 1", "statistics"},
    {"FROM logout_outbox", "the command and statistics; the rows of two hours"},
    {"FROM clients WHERE removable_at IS NOT NULL", "counts an index that has at most clientDocuments.max rows"},
    {"SELECT count(*) FROM consents", "statistics"},
    {"SELECT count(*) FROM totp_secrets t JOIN users u", "statistics"},
    {"SELECT count(DISTINCT c.subject) FROM recovery_codes", "statistics"},
    {"SELECT count(*) FROM users u WHERE", "statistics"},
    {"SELECT count(DISTINCT p.subject) FROM passkeys", "statistics"},
    {"SELECT count(*) FROM passkeys WHERE rp_id", "statistics"},
    {"SELECT count(*) FROM users WHERE second_factor", "statistics"},
    {"SELECT count(*) FROM groups WHERE second_factor", "statistics"},
    {"SELECT count(*) FROM sessions s JOIN users u", "statistics"},
    {"SELECT count(*) FROM access_tokens t", "statistics"},
    {"SELECT count(*) FROM authorization_codes t", "statistics"},
    {"SELECT count(*) FROM refresh_tokens t", "statistics"},
    {"FROM redirect_uris r JOIN clients c", "the origin of a page is looked for in all of them, in any case"},
    {"FROM recovery_codes WHERE used_at IS NULL LIMIT 1", "doctor looks for one"},
    {"FROM recovery_codes WHERE substr(code_hash, 1, 17) <> $1", "the command, after factor.key was replaced"},
    {"FROM users ORDER BY subject LIMIT 1", "stops at the first row of the key"},
};
constexpr Exception kSort[] = {
    {"FROM client_keys k JOIN clients c", "the command renews sets of clients"},
    {"SELECT hash, expires_at FROM client_secrets", "of one client"},
    {"SELECT kind, uri FROM redirect_uris", "of one client"},
    {"LEFT JOIN redirect_uris r", "of one client"},
    {"ORDER BY ends_at DESC, attempt_key", "those that end in one second"},
    {"AND attempt_key <> $3 ORDER BY ends_at + 0 DESC", "places of one name, which has 200 at most"},
    {"FROM grants made CROSS JOIN grants former",
     "of one user and client, which have 200 at most; each sixteenth time"},
    {"AND sid <> $2 ORDER BY last_seen_at DESC", "of one user, who has 100 at most"},
    {"ORDER BY s.last_seen_at DESC, s.sid LIMIT $5", "of one user, who has 100 at most"},
    {"AND token_hash <> $2 ORDER BY last_used_at DESC", "of one user, who has 50 at most"},
    {"FROM session_clients n", "of one session"},
    {"JOIN session_clients n", "of one user"},
    {"FROM logout_outbox o", "the command; the rows of two hours"},
    {"FROM registration_tokens ORDER BY", "a list for the command"},
    {"FROM sites s JOIN clients c ON c.id = s.client_id WHERE", "of one host"},
    {"LIMIT 1000) step", "at most a thousand rows, to find the last of them"},
    {", u.username FROM sessions s", "a list for the command"},
    {"FROM allowed_users a JOIN users u", "of one client"},
    {"SELECT group_name FROM allowed_groups", "of one client"},
    {"SELECT client_id FROM allowed_groups", "of one group"},
    {"SELECT claim, source, scope FROM client_claims", "of one client"},
    {"SELECT client_id, claim, source, scope", "of one source"},
    {"SELECT client_id FROM client_group_names", "of one group"},
    {"SELECT address FROM resource_addresses", "of one resource"},
    {"SELECT group_name FROM group_members", "of one user"},
    {"FROM passkeys WHERE subject = $1 ORDER BY", "of one user"},
    {"FROM mail_requests ORDER BY created_at, id", "a list for the command"},
    {"FROM mail_requests WHERE failed_at IS NULL AND email_key IS NULL",
     "the command; kMaxWaitingResets and few others"},
    {"FROM activity WHERE subject = $1", "of one user, who has 50 at most"},
    {"SELECT DISTINCT COALESCE(n.name, m.group_name)", "of one user"},
};

bool is_among(std::span<const Exception> exceptions, const std::string& statement) {
    return std::ranges::any_of(exceptions, [&](const auto& each) { return mentions(statement, each.part); });
}

/// What the connection has prepared about rows: not BEGIN and COMMIT, nor what it asks when it is opened.
std::set<std::string> prepared_statements(db::Database& database) {
    std::set<std::string> statements;
    for (const std::string sql : database.connection().prepared()) {
        const auto verb = sql.substr(0, sql.find(' '));
        const bool is_about_rows = verb == "SELECT" || verb == "INSERT" || verb == "UPDATE" || verb == "DELETE";
        if (is_about_rows && !mentions(sql, "FROM schema_version")) statements.insert(sql);
    }
    return statements;
}

void call_all(db::Database& database) {
    for (const Call& call : kCalls) {
        CAPTURE(call.function);
        CHECK_NOTHROW(written(database, call.run));
    }
}

/// Explains statements of one connection.
class Explainer {
public:
    explicit Explainer(db::Database& database) : database_(database) {}

    std::vector<std::string> plan_of(const std::string& sql) {
        return is_on_postgresql() ? lines("EXPLAIN (COSTS OFF) EXECUTE " + call_of(sql), 0)
                                  : lines("EXPLAIN QUERY PLAN " + sql, 3);
    }

private:
    std::vector<std::string> lines(const std::string& sql, int column) {
        std::vector<std::string> found;
        auto row = database_.prepare(texts_.emplace_back(sql).c_str());
        while (row.step()) found.push_back(row.text(column));
        return found;
    }

    /// The prepared statement as the server knows it. The values have no effect on a generic plan.
    std::string call_of(const std::string& sql) {
        auto row = database_.query(
            "SELECT name, cardinality(parameter_types) FROM pg_prepared_statements WHERE statement = $1", sql);
        if (!row.step()) throw std::runtime_error("the server has not prepared " + sql);
        std::string call = row.text(0);
        for (std::int64_t left = row.integer(1); left > 0; --left) call += call.ends_with("NULL") ? ", NULL" : "(NULL";
        return call.ends_with("NULL") ? call + ")" : call;
    }

    db::Database& database_;
    std::list<std::string> texts_;  ///< statements are kept by their address
};

/// The first line of the plan that reads rows without a key; "" when there is none.
std::string scan_of_sqlite(const std::vector<std::string>& plan) {
    std::set<std::string> made_here;  // the rows of a subquery: they have been searched for
    for (const auto& line : plan) {
        for (const std::string made : {"MATERIALIZE ", "CO-ROUTINE "}) {
            if (line.starts_with(made)) made_here.insert(line.substr(made.size()));
        }
        const bool reads_none = line == "SCAN CONSTANT ROW";
        if (line.starts_with("SCAN ") && !reads_none && !made_here.contains(line.substr(5))) return line;
    }
    return "";
}

/// The index that a line of a plan of PostgreSQL reads; "" when it reads none.
std::string index_of(const std::string& line) {
    static const std::regex kIndex("(?: using |Bitmap Index Scan on )([a-z_]+)");
    std::smatch found;
    return std::regex_search(line, found, kIndex) ? found[1].str() : "";
}

/// An index that is not entered by its first column is read as a whole.
std::string scan_of_postgresql(db::Database& database, const std::vector<std::string>& plan) {
    for (std::size_t i = 0; i < plan.size(); ++i) {
        if (mentions(plan[i], "Seq Scan ")) return plan[i];
        const auto index = index_of(plan[i]);
        if (index.empty()) continue;
        auto first = database.query("SELECT pg_get_indexdef(CAST($1 AS regclass), 1, true)", index);
        const std::string key = i + 1 < plan.size() ? plan[i + 1] : "";
        if (!first.step() || !mentions(key, "Index Cond: ") || !mentions(key, "(" + first.text(0))) return plan[i];
    }
    return "";
}

bool searches(const std::vector<std::string>& plan) {
    return std::ranges::any_of(
        plan, [](const auto& line) { return mentions(line, "SEARCH ") || mentions(line, "Index Cond: "); });
}

/// More than the rows that are equal in the column of the index.
bool sorts_in_sqlite(const std::vector<std::string>& plan) {
    return std::ranges::any_of(plan, [](const auto& line) { return line.starts_with("USE TEMP B-TREE FOR ORDER BY"); });
}

/// More than the rows of a limit, which stand in the plan below their key and perhaps a subquery.
bool sorts_in_postgresql(const std::vector<std::string>& plan) {
    constexpr std::ptrdiff_t kBelow = 4;
    for (auto line = plan.begin(); line != plan.end(); ++line) {
        const auto end = line + std::min(kBelow, plan.end() - line);
        const bool is_limited = std::any_of(line, end, [](const auto& below) { return mentions(below, "->  Limit"); });
        if (line->ends_with("Sort") && !is_limited) return true;
    }
    return false;
}

/// The string literals of the repositories that are parts of statements; neighbours are one.
std::set<std::string> parts_of_statements() {
    static const std::regex kBetween(R"("[ \\]*\n\s*")");
    static const std::regex kLiteral(R"#("([^"\n]*)")#");
    static const std::regex kStatement("(SELECT|INSERT INTO|UPDATE|DELETE FROM|FROM) ");
    std::set<std::string> parts;
    // Their tables have a row for each key file and node, and PostgreSQL alone has them:
    // tests/postgresql/nodes.test.mjs.
    static const std::set<std::string> kSmall = {"shared_keys.cpp"};
    for (const auto& file : std::filesystem::directory_iterator("lib/store")) {
        if (file.path().extension() != ".cpp" || kSmall.contains(file.path().filename())) continue;
        const auto text = std::regex_replace(read_file(file.path().string()), kBetween, "");
        for (std::sregex_iterator at(text.begin(), text.end(), kLiteral), end; at != end; ++at) {
            if (std::regex_search((*at)[1].str(), kStatement)) parts.insert((*at)[1].str());
        }
    }
    return parts;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += "\n    " + line;
    return text;
}

TEST_CASE("every statement finds its rows by an index, however many there are [S16]") {
    auto database = with_tokens();
    if (is_on_postgresql()) {
        // Small tables are read as a whole otherwise, and so is the index of one that is joined to them.
        for (const char* setting : {"SET enable_seqscan = off", "SET enable_hashjoin = off",
                                    "SET enable_mergejoin = off", "SET plan_cache_mode = force_generic_plan"})
            database.prepare(setting).execute();
    }
    call_all(database);
    Explainer explainer(database);
    for (const std::string& sql : prepared_statements(database)) {
        const auto plan = explainer.plan_of(sql);
        CAPTURE(sql);
        CAPTURE(joined(plan));
        const bool locks_tables = mentions(sql, " WHERE FALSE FOR SHARE");  // and reads no row
        const bool is_question = mentions(sql, "has_table_privilege");      // reads no table
        if (locks_tables || is_question || is_among(kLookAtAll, sql)) continue;
        CHECK((is_on_postgresql() ? scan_of_postgresql(database, plan) : scan_of_sqlite(plan)) == "");
        CHECK((searches(plan) || sql.starts_with("INSERT ")));
        const bool sorts = is_on_postgresql() ? sorts_in_postgresql(plan) : sorts_in_sqlite(plan);
        CHECK((!sorts || is_among(kSort, sql)));
    }
}

TEST_CASE("the statements that are explained are those of the repositories, and each exception is one of them") {
    auto database = with_tokens();
    call_all(database);
    const auto statements = prepared_statements(database);
    const auto is_prepared = [&](const std::string& part) {
        return std::ranges::any_of(statements, [&](const auto& sql) { return mentions(sql, part); });
    };
    for (const auto& part : parts_of_statements()) {
        const bool is_lock = mentions(part, " FOR NO KEY UPDATE") || mentions(part, " FOR UPDATE ");
        // Run when the answer to a COMMIT was lost: tests/postgresql/faults.test.mjs.
        const bool is_mark = part.starts_with("SELECT 1 FROM ") && !is_lock;
        const bool is_question = mentions(part, "has_table_privilege");  // reads no table
        const bool is_of_replays = mentions(part, " replays");  // in a file of its own, or in a transaction of its own
        CAPTURE(part);
        if (!is_mark && !is_question && !is_of_replays && (is_on_postgresql() || !is_lock)) CHECK(is_prepared(part));
    }
    for (const auto& each : kLookAtAll) CHECK_MESSAGE(is_prepared(each.part), each.part);
    for (const auto& each : kSort) CHECK_MESSAGE(is_prepared(each.part), each.part);
}

}  // namespace
}  // namespace postern
