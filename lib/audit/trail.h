// The events of the audit log: one table, and the place where they wait until they are written.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/grant.h"

namespace postern::audit {

enum class Event {
    login_succeeded,
    login_failed,
    login_throttled,
    login_overloaded,
    session_replaced,
    user_created,
    group_joined,
    group_left,
    logout,
    session_ended,
    logout_notified,
    logout_notification_failed,
    password_changed,
    password_refused,
    profile_changed,
    new_password_asked,
    second_factor_asked,
    second_factor_failed,
    second_factor_throttled,
    device_remembered,
    devices_forgotten,
    app_added,
    app_removed,
    passkey_added,
    passkey_removed,
    recovery_codes_made,
    recovery_code_used,
    passkey_changed,
    passkey_suspended,
    link_made,
    link_used,
    link_refused,
    mail_asked,
    mail_sent,
    mail_failed,
    consent_given,
    consent_denied,
    consent_withdrawn,
    access_refused,
    code_issued,
    code_burned,
    code_replayed,
    device_code_issued,
    device_approved,
    device_denied,
    site_entered,
    user_code_guessed,
    token_issued,
    token_refreshed,
    refresh_token_reused,
    presented_by_another,
    token_revoked,
    client_authentication_failed,
    assertion_replayed,
    proof_replayed,
    replay_store_full,
    client_registered,
    client_document_changed,
    client_deleted,
    key_rotated,
    key_retired,
    seal_renewed,
    admin_command,
    commit_unsynced,
};

/// The vocabulary of the audit log: a line has these members and no others (docs/OPERATIONS.md, "The audit log").
struct Row {
    Event event;
    std::string_view name;
    std::string_view members;  ///< separated by blanks, in addition to those of every line; each only where it applies
};
std::span<const Row> table();
const Row& row(Event event);

/// Members of a line. Whatever names a person's or a client's right is a digest: a reader of the log must not be able
/// to use it, and still see which lines belong together (docs/decisions/0026-audit-log.md).
using Member = std::pair<std::string_view, std::string>;

/// The first 16 hex digits of SHA-256(`value`), as `printf %s VALUE | sha256sum` begins.
std::string short_digest(std::string_view value);

Member client(const model::ClientId& id);
Member subject(const model::Subject& subject);  ///< random; only the user table links it to a person
Member session(const model::Sid& sid);
/// Names a code or token by the beginning of its digest; `name` says which it is, and storage has the whole digest.
Member credential(std::string_view name, const model::ValueHash& hash);
/// Returns the members that every line about a grant begins with, client to grant, and then its `own`.
std::vector<Member> with_grant(const model::Grant& grant, std::vector<Member> own);
Member yes_or_no(std::string_view name, bool value);

/// The events of one request, or of one command, in their order. Added when they have become true, that is behind the
/// commit; the owner of the log writes them before the answer.
class Trail {
public:
    struct Entry {
        Event event;
        std::vector<Member> members;  ///< none is empty
    };

    /// Forgets what there was: the next request, from that address.
    void begin(std::string request_id, std::string address);
    /// Adds an event. The member `subject`, if there is one, names the user of the request from now on; "" clears the
    /// user.
    void add(Event event, std::vector<Member> members);
    /// Notes the user of the request, known by a session, half a login, a link, a grant or a token.
    void note_user(const model::Subject& subject) { user_ = subject.str(); }

    /// A code or token of that grant came from a client that it was not given to, and nothing was changed for it.
    void add_foreign(const model::Grant& grant, std::string_view kind, const model::ValueHash& hash,
                     const model::ClientId& presented_by);

    const std::string& request_id() const { return request_id_; }
    const std::string& address() const { return address_; }
    /// Returns the subject of the user whom the request is about; "" if none is known. Never a name that was typed.
    const std::string& user() const { return user_; }
    const std::vector<Entry>& entries() const { return entries_; }

private:
    std::string request_id_;
    std::string address_;
    std::string user_;
    std::vector<Entry> entries_;
};

}  // namespace postern::audit
