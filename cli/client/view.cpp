// Prints clients: which members, and under which names.
#include "cli/client/view.h"

#include "cli/client/access.h"
#include "cli/output.h"

namespace postern::cli {
namespace {

using model::Client;

std::vector<std::string> grant_names(const Client& client) {
    std::vector<std::string> names;
    for (const model::GrantType grant : client.grants) names.emplace_back(model::to_string(grant));
    return names;
}

const char* type_name(const Client& client) {
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

json::Value time_or_null(const std::optional<util::Time>& time) {
    return time ? json::Value(util::to_epoch(*time)) : json::Value();
}

std::string profile_name(const Client& client) {
    return client.access_token_profile ? std::string(model::to_string(*client.access_token_profile)) : "default";
}

std::string level_name(const Client& client) {
    if (client.level == model::Level::unknown) return "any";
    return client.level == model::Level::phishing_resistant ? "phr" : "mfa";
}

std::string names_in_words(const Client& client) {
    std::vector<std::string> names;
    for (const auto& [tag, name] : client.names) names.push_back(tag + "=" + name);
    return join(names);
}

}  // namespace

ClientDetails read_details(db::Database& database, const Client& client) {
    return {read_access(database, client), store::find_client_claims(database, client.id),
            store::find_group_names(database, client.id)};
}

json::Object to_json(const Client& client, const ClientDetails& details) {
    json::Object object{
        {"client_id", client.id.str()},
        {"client_name", client.name},
        {"client_type", type_name(client)},
        {"enabled", client.enabled},
        {"native", client.native},
        {"first_party", client.first_party},
        {"grant_types", json::strings(grant_names(client))},
        {"scope", client.scope.to_string()},
        {"token_endpoint_auth_method", std::string(model::to_string(client.auth_method))},
        {"pkce", std::string(model::to_string(client.pkce))},
        {"redirect_uris", json::strings(client.redirect_uris)},
        {"post_logout_redirect_uris", json::strings(client.post_logout_redirect_uris)},
        {"client_secrets", secrets_of(client)},
        {"restricted", client.restricted},
        {"allowed_groups", json::strings(details.access.groups)},
        {"allowed_users", json::strings(details.access.usernames)},
        {"groups", std::string(model::to_string(client.groups))},
        {"group_names", group_names(details.group_names)},
        {"claims", own_claims(details.claims)},
        {"id_token_claims", client.id_token_claims},
        {"acr", level_name(client)},
        {"access_token_profile", profile_name(client)},
        {"groups_in_access_token", client.groups_in_access_token},
        {"default_resource", client.default_resource},
        {"resources", json::strings(client.resources)},
        {"created_at", util::to_epoch(client.created_at)},
        {"origin", std::string(model::to_string(client.origin))},
        {"last_used_at", time_or_null(client.last_used_at)},
        {"removable_at", time_or_null(client.removable_at)},
    };
    for (const auto& [tag, name] : client.names) object.set("client_name#" + tag, name);  // RFC 7591 §2.2
    return object;
}

void print_client(const Client& client, const ClientDetails& details) {
    print_fields({
        {"client_id", client.id.str()},
        {"name", client.name},
        {"in other languages", names_in_words(client)},
        {"type", type_name(client)},
        {"enabled", yes_no(client.enabled)},
        {"native", yes_no(client.native)},
        {"first-party", yes_no(client.first_party)},
        {"grants", join(grant_names(client))},
        {"scope", client.scope.to_string()},
        {"authenticates with", std::string(model::to_string(client.auth_method))},
        {"PKCE", std::string(model::to_string(client.pkce))},
        {"redirect URIs", join(client.redirect_uris)},
        {"post-logout URIs", join(client.post_logout_redirect_uris)},
        {"secrets", secrets_in_words(client)},
        {"for", allowed_in_words(client, details.access)},
        {"told groups", std::string(model::to_string(client.groups))},
        {"group names", in_words(details.group_names)},
        {"own claims", in_words(details.claims)},
        {"claims in ID token", yes_no(client.id_token_claims)},
        {"acr", level_name(client)},
        {"access tokens", profile_name(client)},
        {"groups in them", yes_no(client.groups_in_access_token)},
        {"default resource", client.default_resource},
        {"resources", client.resources.empty() ? "any" : join(client.resources)},
        {"created", to_text(client.created_at)},
        {"described by", client.origin == model::Origin::document ? "the document at this URL" : "you"},
        {"last sign-in", client.last_used_at ? to_text(*client.last_used_at) : ""},
        {"kept until", client.removable_at ? to_text(*client.removable_at) : ""},
    });
}

void print_clients(const std::vector<Client>& clients) {
    std::vector<std::vector<std::string>> rows;
    for (const Client& client : clients) {
        rows.push_back({client.id.str(), client.name, type_name(client), yes_no(client.enabled),
                        std::string(model::to_string(client.origin)), join(grant_names(client), ","),
                        client.redirect_uris.empty() ? "" : client.redirect_uris.front()});
    }
    print_table({"CLIENT_ID", "NAME", "TYPE", "ENABLED", "ORIGIN", "GRANTS", "REDIRECT_URI"}, rows);
}

}  // namespace postern::cli
