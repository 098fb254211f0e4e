// What happened that an auditor wants to know.
#include "audit/trail.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "crypto/digest.h"

namespace postern::audit {
namespace {

constexpr std::size_t kShortDigest = 16;
constexpr std::string_view kSubject = "subject";

using enum Event;
constexpr std::array kTable = {
    Row{login_succeeded, "login_succeeded", "method subject amr acr client_id session"},
    Row{login_failed, "login_failed", "method reason subject account client_id"},
    Row{login_throttled, "login_throttled", "method reason account client_id"},
    Row{login_overloaded, "login_overloaded", "method reason account client_id"},
    Row{session_replaced, "session_replaced", "subject session"},
    Row{user_created, "user_created", "method subject"},
    Row{group_joined, "group_joined", "method subject group"},
    Row{group_left, "group_left", "method subject group grants_ended"},
    Row{logout, "logout", "subject session grants_ended"},
    Row{session_ended, "session_ended", "subject session grants_ended by"},
    Row{logout_notified, "logout_notified", "client_id subject session by sudo_user"},
    Row{logout_notification_failed, "logout_notification_failed", "client_id subject session reason by sudo_user"},
    Row{password_changed, "password_changed", "subject session by"},
    Row{password_refused, "password_refused", "subject session link reason"},
    Row{profile_changed, "profile_changed", "subject session changed"},
    Row{new_password_asked, "new_password_asked", "subject client_id"},
    Row{second_factor_asked, "second_factor_asked", "subject client_id"},
    Row{second_factor_failed, "second_factor_failed", "method reason subject client_id"},
    Row{second_factor_throttled, "second_factor_throttled", "reason subject client_id"},
    Row{device_remembered, "device_remembered", "subject client_id session"},
    Row{devices_forgotten, "devices_forgotten", "subject session devices by"},
    Row{app_added, "app_added", "subject session"},
    Row{app_removed, "app_removed", "subject session by sudo_user"},
    Row{passkey_added, "passkey_added", "subject session passkey by"},
    Row{passkey_removed, "passkey_removed", "subject session passkey by sudo_user"},
    Row{recovery_codes_made, "recovery_codes_made", "subject session"},
    Row{recovery_code_used, "recovery_code_used", "subject client_id left"},
    Row{passkey_changed, "passkey_changed", "subject client_id passkey backup_eligible"},
    Row{passkey_suspended, "passkey_suspended", "subject client_id passkey"},
    Row{link_made, "link_made", "purpose subject link expires_at by sudo_user"},
    Row{link_used, "link_used", "purpose subject link made_by"},
    Row{link_refused, "link_refused", "reason purpose subject link made_by"},
    Row{mail_asked, "mail_asked", "kind subject by sudo_user"},
    Row{mail_sent, "mail_sent", "kind subject link by sudo_user"},
    Row{mail_failed, "mail_failed", "kind subject reason by sudo_user"},
    Row{consent_given, "consent_given", "subject client_id session scope resource"},
    Row{consent_denied, "consent_denied", "subject client_id session scope"},
    Row{consent_withdrawn, "consent_withdrawn", "subject client_id grants_ended by sudo_user"},
    Row{access_refused, "access_refused", "subject client_id session"},
    Row{code_issued, "code_issued", "client_id subject session grant code scope resource request_object"},
    Row{code_burned, "code_burned", "client_id subject session grant code reason"},
    Row{code_replayed, "code_replayed", "client_id subject session grant code reason grant_ended"},
    Row{device_code_issued, "device_code_issued", "client_id device scope resource"},
    Row{device_approved, "device_approved", "client_id subject session grant device scope resource"},
    Row{device_denied, "device_denied", "client_id subject session device"},
    Row{site_entered, "site_entered", "client_id subject session grant code"},
    Row{user_code_guessed, "user_code_guessed", "subject session"},
    Row{token_issued, "token_issued",
        "client_id subject session grant grant_type response_type code access_token refresh_token scope aud request_object"},
    Row{token_refreshed, "token_refreshed",
        "client_id subject session grant used access_token refresh_token scope aud retried"},
    Row{refresh_token_reused, "refresh_token_reused", "client_id subject session grant used reason grant_ended"},
    Row{presented_by_another, "presented_by_another", "client_id subject session grant kind token presented_by"},
    Row{token_revoked, "token_revoked", "client_id subject session grant kind token"},
    Row{client_authentication_failed, "client_authentication_failed", "reason client_id"},
    Row{assertion_replayed, "assertion_replayed", "client_id"},
    Row{proof_replayed, "proof_replayed", "client_id"},
    Row{replay_store_full, "replay_store_full", "reason client_id"},
    Row{client_registered, "client_registered", "client_id subject origin token"},
    Row{client_deleted, "client_deleted", "client_id"},
    Row{client_document_changed, "client_document_changed", "client_id changed grants_ended"},
    Row{key_rotated, "key_rotated", "kid alg signs_from by sudo_user"},
    Row{key_retired, "key_retired", "kid alg signs_from by sudo_user"},
    Row{seal_renewed, "seal_renewed", "by sudo_user"},
    Row{admin_command, "admin_command",
        "command client_id claim subject group resource before rows sessions_ended grants_ended devices file source enabled weak by sudo_user"},
    Row{commit_unsynced, "commit_unsynced", "command by sudo_user"},
};

}  // namespace

std::span<const Row> table() { return kTable; }

const Row& row(Event event) {
    for (const Row& row : kTable)
        if (row.event == event) return row;
    throw std::logic_error("audit event without a row");
}

std::string short_digest(std::string_view value) { return crypto::sha256_hex(value).substr(0, kShortDigest); }

Member client(const model::ClientId& id) { return {"client_id", id.str()}; }

Member subject(const model::Subject& subject) { return {kSubject, subject.str()}; }

Member session(const model::Sid& sid) { return {"session", sid.empty() ? std::string() : short_digest(sid.str())}; }

Member credential(std::string_view name, const model::ValueHash& hash) {
    return {name, hash.str().substr(0, kShortDigest)};
}

std::vector<Member> with_grant(const model::Grant& grant, std::vector<Member> own) {
    std::vector<Member> members = {
        client(grant.client_id), subject(grant.subject), session(grant.sid), {"grant", short_digest(grant.id.str())}};
    members.insert(members.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    return members;
}

Member yes_or_no(std::string_view name, bool value) { return {name, value ? "yes" : "no"}; }

void Trail::begin(std::string request_id, std::string address) {
    request_id_ = std::move(request_id);
    address_ = std::move(address);
    user_.clear();
    entries_.clear();
}

void Trail::add(Event event, std::vector<Member> members) {
    const auto subject = std::ranges::find(members, kSubject, &Member::first);
    if (subject != members.end()) user_ = subject->second;
    std::erase_if(members, [](const Member& member) { return member.second.empty(); });
    entries_.push_back({event, std::move(members)});
}

void Trail::add_foreign(const model::Grant& grant, std::string_view kind, const model::ValueHash& hash,
                        const model::ClientId& presented_by) {
    add(Event::presented_by_another,
        with_grant(grant,
                   {{"kind", std::string(kind)}, credential("token", hash), {"presented_by", presented_by.str()}}));
}

}  // namespace postern::audit
