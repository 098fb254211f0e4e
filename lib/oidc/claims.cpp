// Releases the attributes of a user to a client: by granted scope, and by name.
#include "oidc/claims.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "model/group.h"
#include "store/client_claims.h"
#include "store/groups.h"
#include "util/text.h"

namespace postern::oidc {
namespace {

std::optional<json::Value> telling(const json::Value& value);

/// §5.1.1: a member of an address that is not known is left out like any other claim.
std::optional<json::Value> telling(const json::Object& object) {
    json::Object kept;
    for (const auto& [name, value] : object.members())
        if (auto told = telling(value)) kept.set(name, std::move(*told));
    if (kept.empty()) return std::nullopt;
    return kept;
}

/// Returns the value without its empty parts; nullopt for an empty value. §5.3.2: an absent claim is omitted, not sent
/// as null or as an empty string.
std::optional<json::Value> telling(const json::Value& value) {
    if (const auto* object = value.if_object()) return telling(*object);
    if (const auto* array = value.if_array(); array && array->empty()) return std::nullopt;
    if (const auto* text = value.if_string(); text && util::trim(*text).empty()) return std::nullopt;
    if (value.is_null()) return std::nullopt;
    return value;
}

void tell(json::Object& told, const std::string& name, const json::Value& value) {
    if (auto said = telling(value)) told.set(name, std::move(*said));
}

using OwnClaims = std::vector<model::ClientClaim>;

/// Returns the claims among them that the client is told now.
OwnClaims due(const OwnClaims& own, const Recipient& recipient) {
    OwnClaims claims;
    std::ranges::copy_if(own, std::back_inserter(claims), [&](const model::ClientClaim& claim) {
        return recipient.granted.contains(claim.scope) &&
               (recipient.by_scope || recipient.asked_for.contains(claim.name));
    });
    return claims;
}

bool has_source(const OwnClaims& claims, model::SourceKind kind) {
    return std::ranges::any_of(claims, [&](const model::ClientClaim& claim) { return claim.source.kind == kind; });
}

/// null: the user does not have it.
json::Value value_of(const model::ClaimSource& source, const json::Object& all,
                     const std::vector<std::string>& memberships) {
    switch (source.kind) {
        case model::SourceKind::group:
            return std::ranges::find(memberships, source.text) != memberships.end();
        case model::SourceKind::constant:
            return source.text;
        case model::SourceKind::groups:
        case model::SourceKind::claim:
            break;
    }
    const json::Value* value = all.find(*model::claim_behind(source));
    return value ? *value : json::Value();
}

}  // namespace

bool is_told(const model::ReleasedClaims& released_claims, std::string_view claim, const model::Scope& scope,
             const model::ClaimNames& asked_for) {
    return released_claims.is_released_by(scope, claim) ||
           (asked_for.contains(std::string(claim)) && released_claims.contains(claim));
}

json::Object told_claims(const model::ReleasedClaims& released_claims, const json::Object& all,
                         const model::Scope& scope, const model::ClaimNames& asked_for) {
    json::Object told;
    for (const auto& [name, value] : all.members()) {
        if (is_told(released_claims, name, scope, asked_for)) tell(told, name, value);
    }
    return told;
}

json::Object release_claims(oauth::Context& context, const Recipient& recipient, const GetUserClaims& get_user_claims) {
    const model::ReleasedClaims& released = context.settings.released_claims;
    const model::Scope scope = recipient.by_scope ? recipient.granted : model::Scope();
    const OwnClaims own =
        recipient.own_claims ? store::find_client_claims(context.store, recipient.client) : OwnClaims();
    const OwnClaims told_own = due(own, recipient);

    json::Object all = get_user_claims(recipient.subject);
    if (is_told(released, model::kGroups, scope, recipient.asked_for) ||
        has_source(told_own, model::SourceKind::groups))
        add_groups(context.store, all, recipient.subject, recipient.client);
    std::vector<std::string> memberships;
    if (has_source(told_own, model::SourceKind::group))
        memberships = store::groups_of(context.store, recipient.subject);

    json::Object told = told_claims(released, all, scope, recipient.asked_for);
    for (const model::ClientClaim& claim : own) told.erase(claim.name);
    for (const model::ClientClaim& claim : told_own) tell(told, claim.name, value_of(claim.source, all, memberships));
    return told;
}

void add_groups(db::Database& database, json::Object& claims, const model::Subject& subject,
                const model::ClientId& client) {
    if (claims.find(model::kGroups)) return;
    claims.set(model::kGroups, json::strings(store::told_groups(database, subject, client)));
}

}  // namespace postern::oidc
