// Prints clients: which members, and under which names.
#include "cli/client/parts.h"

#include "cli/output.h"
#include "jose/client_keys.h"
#include "json/reader.h"
#include "store/client_keys.h"

namespace postern::cli {
namespace {

using model::Client;

std::vector<std::string> grant_names(const Client& client) {
    std::vector<std::string> names;
    for (const model::GrantType grant : client.grants) names.emplace_back(model::to_string(grant));
    return names;
}

std::vector<std::string> response_type_names(const Client& client) {
    std::vector<std::string> names;
    for (const model::ResponseType type : model::response_types_of(client)) names.emplace_back(to_string(type));
    return names;
}

std::string algorithm_name(const std::optional<crypto::Algorithm>& algorithm) {
    return algorithm ? std::string(crypto::to_string(*algorithm)) : "default";
}

/// Stands in the column of a client that has no name, so that the line has as many words as the others.
constexpr const char* kNoName = "-";

const char* type_name(const Client& client) {
    if (client.site) return "site";
    return client.type == model::ClientType::public_ ? "public" : "confidential";
}

/// One entry per secret that works now; at most one of them has no end.
json::Array secrets_of(const Client& client) {
    json::Array secrets;
    for (const model::ClientSecret& secret : client.secrets) {
        json::Object entry;
        entry.set("expires_at", secret.expires_at ? json::Value(util::to_epoch(*secret.expires_at)) : json::Value());
        secrets.emplace_back(std::move(entry));
    }
    return secrets;
}

std::string secrets_in_words(const Client& client) {
    std::vector<std::string> words;
    for (const model::ClientSecret& secret : client.secrets) {
        words.push_back(secret.expires_at ? "an old one until " + to_text(*secret.expires_at) : "current");
    }
    return join(words, ", ");
}

std::string allowed_in_words(const Client& client, const store::ClientAccess& access) {
    if (!client.restricted) return "all users";
    std::vector<std::string> words;
    for (const std::string& group : access.groups) words.push_back("group " + group);
    for (const std::string& name : access.usernames) words.push_back("user " + name);
    return words.empty() ? "no user" : join(words, ", ");
}

json::Object group_names(const store::GroupNames& names) {
    json::Object object;
    for (const auto& [group, name] : names) object.set(group, name);
    return object;
}

json::Array own_claims(const std::vector<model::ClientClaim>& claims) {
    json::Array array;
    for (const model::ClientClaim& claim : claims)
        array.emplace_back(
            json::Object{{"claim", claim.name}, {"source", model::to_string(claim.source)}, {"scope", claim.scope}});
    return array;
}

std::string in_words(const store::GroupNames& names) {
    std::vector<std::string> words;
    for (const auto& [group, name] : names) words.push_back(group + "=" + name);
    return join(words, ", ");
}

std::string in_words(const std::vector<model::ClientClaim>& claims) {
    std::vector<std::string> words;
    for (const model::ClientClaim& claim : claims)
        words.push_back(claim.name + "=" + model::to_string(claim.source) + " with " + claim.scope);
    return join(words, ", ");
}

std::string profile_name(const Client& client) {
    return client.access_token_profile ? std::string(model::to_string(*client.access_token_profile)) : "default";
}

std::string level_name(const Client& client) {
    if (client.level == model::Level::unknown) return "any";
    return client.level == model::Level::phishing_resistant ? "phr" : "mfa";
}

/// The fields of a site alone.
void add_site(const model::Site& site, Listing& fields) {
    const auto seconds = [](const std::optional<util::Seconds>& value) {
        return value ? json::Value(std::int64_t{value->count()}) : json::Value();
    };
    const auto in_words = [](const std::optional<util::Seconds>& value, const char* none) {
        return value ? std::to_string(value->count()) + " seconds" : std::string(none);
    };
    fields.push_back({"site_url", "protects", site.url});
    fields.push_back({"max_age", "age of the sign-in", seconds(site.max_age), in_words(site.max_age, "any")});
    fields.push_back(
        {"session_ttl", "cookie", seconds(site.session_ttl), in_words(site.session_ttl, "as the session")});
    fields.push_back({"user_header", "Remote-User", to_string(site.user_header)});
    fields.push_back({"bearer", "access tokens pass", site.bearer});
}

std::string names_in_words(const Client& client) {
    std::vector<std::string> names;
    for (const auto& [tag, name] : client.names) names.push_back(tag + "=" + name);
    return join(names);
}

const char* origin_in_words(const Client& client) {
    switch (client.origin) {
        case model::Origin::operator_:
            return "you";
        case model::Origin::document:
            return "the document at this URL";
        case model::Origin::dynamic:
            return client.registered_by.empty() ? "itself, without a token" : "itself, with a token of yours";
    }
    return "";
}

/// What a client says of itself when it registers, and nothing of it otherwise.
void add_registered(const Client& client, Listing& fields) {
    if (client.origin != model::Origin::dynamic) return;
    const model::RegisteredMetadata& metadata = client.metadata;
    if (metadata.application_type)
        fields.push_back({"application_type", "kind of application", model::to_string(*metadata.application_type)});
    fields.push_back({"initiate_login_uri", "logins begin at", metadata.initiate_login_uri});
    fields.push_back({"policy_uri", "privacy policy", metadata.policy_uri});
    fields.push_back({"tos_uri", "terms of service", metadata.tos_uri});
    // As the audit log names the token.
    const std::string token = client.registered_by.substr(0, 16);
    fields.push_back({"registered_by", "initial access token", token});
}

/// "P-256 a, RSA b for PS256": what a person compares with the client's own list.
std::string keys_in_words(const jose::ClientKeys& keys) {
    std::vector<std::string> words;
    for (const jose::ClientKey& key : keys) {
        const char* type = std::holds_alternative<crypto::RsaPublic>(key.members)  ? "RSA"
                           : std::holds_alternative<crypto::EcPublic>(key.members) ? "P-256"
                                                                                   : "Ed25519";
        const std::string algorithm = key.algorithm ? " for " + std::string(to_string(*key.algorithm)) : "";
        words.push_back(type + (key.kid ? " " + *key.kid : std::string()) + algorithm);
    }
    return join(words, ", ");
}

/// The keys of a client that has registered some.
void add_keys(const std::optional<model::ClientKeys>& keys, Listing& fields) {
    if (!keys) return;
    if (const auto set = jose::parse_client_keys(keys->jwks))
        fields.push_back({"jwks", "keys", *json::parse(keys->jwks), keys_in_words(*set)});
    fields.push_back({"jwks_uri", "keys at", keys->jwks_uri});
    fields.push_back({"token_endpoint_auth_signing_alg", "signs by", keys->alg});
}

}  // namespace

ClientDetails read_details(db::Database& database, const Client& client) {
    return {read_access(database, client), store::find_client_claims(database, client.id),
            store::find_group_names(database, client.id),
            model::has_keys(client) ? store::find_client_keys(database, client.id) : std::nullopt};
}

Listing listing_of(const Client& client, const ClientDetails& details) {
    using Text = std::optional<std::string>;
    Listing fields = {
        {"client_id", "client_id", client.id.str()},
        {"client_name", "name", client.name},
        {"", "in other languages", {}, names_in_words(client)},
        {"client_type", "type", type_name(client)},
        {"enabled", "enabled", client.enabled},
        {"native", "native", client.native},
        {"first_party", "first-party", client.first_party},
        {"grant_types", "grants", json::strings(grant_names(client))},
        {"response_types", "response types", json::strings(response_type_names(client)),
         join(response_type_names(client), ", ")},
        {"scope", "scope", client.scope.to_string()},
        {"token_endpoint_auth_method", "authenticates with", model::to_string(client.auth_method)},
        {"pkce", "PKCE", model::to_string(client.pkce)},
        {"require_pushed_authorization_requests", "requests pushed", client.require_par},
        {"dpop_bound_access_tokens", "tokens bound", client.dpop_bound},
        {"profile", "profile", model::to_string(client.security_profile)},
        {"resource_server", "is the API of", client.resource_server},
        {"require_signed_request_object", "requests signed", client.require_signed_request},
        {"request_object_signing_alg", "signed requests by", client.request_object_alg,
         client.request_object_alg.empty() ? Text("any") : Text()},
        {"tls_client_certificate_bound_access_tokens", "bound to certificates", client.tls_bound},
        {"redirect_uris", "redirect URIs", json::strings(client.redirect_uris)},
        {"post_logout_redirect_uris", "post-logout URIs", json::strings(client.post_logout_redirect_uris)},
        {"backchannel_logout_uri", "back-channel logout", client.logout.backchannel},
        {"backchannel_logout_session_required", "", client.logout.backchannel_session_required},
        {"frontchannel_logout_uri", "front-channel logout", client.logout.frontchannel},
        {"frontchannel_logout_session_required", "", client.logout.frontchannel_session_required},
        {"client_secrets", "secrets", secrets_of(client), secrets_in_words(client)},
        {"restricted", "", client.restricted},
        {"allowed_groups", "", json::strings(details.access.groups)},
        {"allowed_users", "", json::strings(details.access.usernames)},
        {"", "for", {}, allowed_in_words(client, details.access)},
        {"groups", "told groups", model::to_string(client.groups)},
        {"group_names", "group names", group_names(details.group_names), in_words(details.group_names)},
        {"claims", "own claims", own_claims(details.claims), in_words(details.claims)},
        {"id_token_claims", "claims in ID token", client.id_token_claims},
        {"id_token_signed_response_alg", "ID tokens by", algorithm_name(client.id_token_algorithm)},
        {"response_modes", "response modes",
         json::strings({client.response_modes.begin(), client.response_modes.end()}),
         client.response_modes.empty() ? Text("any") : Text()},
        {"authorization_signed_response_alg", "signed answers by", algorithm_name(client.response_algorithm)},
        {"introspection_claims", "told at introspection",
         json::strings({client.introspection_claims.begin(), client.introspection_claims.end()})},
        {"acr", "acr", level_name(client)},
        {"access_token_profile", "access tokens", profile_name(client)},
        {"groups_in_access_token", "groups in them", client.groups_in_access_token},
        {"default_resource", "default resource", client.default_resource},
        {"resources", "resources", json::strings(client.resources), client.resources.empty() ? Text("any") : Text()},
        time_field("created_at", "created", client.created_at),
        {"origin", "described by", model::to_string(client.origin), origin_in_words(client)},
        time_field("last_used_at", "last sign-in", client.last_used_at),
        time_field("removable_at", "kept until", client.removable_at),
    };
    add_keys(details.keys, fields);
    if (const auto& name = client.certificate_name)
        fields.push_back({std::string(model::to_string(name->kind)), "certificates of", name->value});
    add_registered(client, fields);
    if (client.site) add_site(*client.site, fields);
    for (const auto& [tag, name] : client.names) fields.push_back({"client_name#" + tag, "", name});  // RFC 7591 §2.2
    return fields;
}

void print_client(const Invocation& invocation, db::Database& database, const Client& client) {
    const ClientDetails details = read_details(database, client);
    note_access(client, details.access);
    note_untold_claims(client, details.claims);
    const Listing fields = listing_of(client, details);
    if (invocation.json) return print_json(members_of(fields));
    print_lines(fields);
}

void print_clients(const std::vector<Client>& clients) {
    std::vector<std::vector<std::string>> rows;
    for (const Client& client : clients) {
        rows.push_back({client.id.str(), client.name.empty() ? kNoName : client.name, type_name(client),
                        yes_no(client.enabled), std::string(model::to_string(client.origin)),
                        join(grant_names(client), ","),
                        client.redirect_uris.empty() ? "" : client.redirect_uris.front()});
    }
    print_table({"CLIENT_ID", "NAME", "TYPE", "ENABLED", "ORIGIN", "GRANTS", "REDIRECT_URI"}, rows);
}

}  // namespace postern::cli
