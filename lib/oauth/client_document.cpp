// Reads the document at a client's URL: checks in a fixed order, each about a few members.
#include "oauth/client_document.h"

#include <algorithm>

#include "crypto/digest.h"
#include "http/url.h"
#include "json/reader.h"
#include "oauth/audience.h"
#include "oauth/client_id_url.h"
#include "oauth/redirect_rules.h"
#include "oauth/registration.h"
#include "oauth/sealed_members.h"
#include "oauth/unmet_demand.h"
#include "util/base64.h"
#include "util/text.h"
#include "util/visible.h"

namespace postern::oauth {
namespace {

using json::Object;
using json::Value;
using model::Client;
using model::GrantType;
template <class T>
using Read = util::Result<T, DocumentFault>;

constexpr json::Limits kLimits{.bytes = fetch::most_bytes(fetch::Purpose::client_document), .depth = 8, .nodes = 1024};
constexpr std::size_t kMaxUriBytes = 2048;

DocumentFault fault(std::string reason) { return {std::move(reason)}; }

DocumentFault fault_of(std::string_view member, const std::string& reason) {
    return fault("has a member " + std::string(member) + " that " + reason);
}

/// application/json, or a type of JSON's own family (RFC 6839 §3.1), whatever its parameters.
bool is_json(std::string_view content_type) {
    const std::string type = util::to_lower(util::trim(content_type.substr(0, content_type.find(';'))));
    constexpr std::string_view kApplication = "application/";
    constexpr std::string_view kSuffix = "+json";
    return type == "application/json" || (type.starts_with(kApplication) && type.ends_with(kSuffix) &&
                                          type.size() > kApplication.size() + kSuffix.size());
}

Read<Object> read_object(const fetch::Document& document) {
    if (!is_json(document.content_type))
        return fault("has the Content-Type \"" + util::displayable(document.content_type.substr(0, 100)) +
                     "\" instead of application/json");
    auto value = json::parse(document.body, json::Dialect::strict, kLimits);
    if (!value)
        return fault("is not strict JSON: line " + std::to_string(value.error().line) + ": " + value.error().reason);
    Object* object = value->if_object();
    if (object == nullptr) return fault("is not a JSON object");
    return std::move(*object);
}

/// nullopt: the member is not there.
Read<std::optional<std::string>> text_of(const Object& document, std::string_view member) {
    const Value* value = document.find(member);
    if (value == nullptr) return std::optional<std::string>();
    if (value->if_string() == nullptr) return fault_of(member, "is not a string");
    return std::optional(*value->if_string());
}

Read<std::optional<std::vector<std::string>>> texts_of(const Object& document, std::string_view member) {
    const Value* value = document.find(member);
    if (value == nullptr) return std::optional<std::vector<std::string>>();
    if (value->if_array() == nullptr) return fault_of(member, "is not a list");
    std::vector<std::string> texts;
    for (const Value& item : *value->if_array()) {
        if (item.if_string() == nullptr) return fault_of(member, "holds something else than strings");
        texts.push_back(*item.if_string());
    }
    return std::optional(std::move(texts));
}

bool contains(const std::vector<std::string>& texts, std::string_view text) {
    return std::ranges::find(texts, text) != texts.end();
}

/// Draft §4.1: without it any document that is JSON would make its URL a client.
Read<void> check_identity(const Object& document, const std::string& url) {
    ASSIGN_OR_RETURN(const auto id, text_of(document, "client_id"));
    if (id != url) return fault("has another client_id than its URL, or none; they must be equal byte for byte");
    return {};
}

/// A published secret is no secret, and keys are not read here yet. One method is what the client prefers, the list
/// what it can do (OpenID Connect Relying Party Metadata Choices §2): with `none` in it, the client is public here.
Read<void> check_method(const Object& document) {
    for (const char* member : {"client_secret", "client_secret_expires_at"})
        if (document.find(member) != nullptr) return fault_of(member, "no document may have");
    ASSIGN_OR_RETURN(const auto preferred, text_of(document, "token_endpoint_auth_method"));
    ASSIGN_OR_RETURN(const auto offered, texts_of(document, "token_endpoint_auth_methods_supported"));
    const bool is_public =
        preferred.value_or(offered ? "" : "none") == "none" || (offered && contains(*offered, "none"));
    if (!is_public)
        return DocumentFault{
            (preferred ? "has the token_endpoint_auth_method " + util::displayable(preferred->substr(0, 64))
                       : "does not offer none in token_endpoint_auth_methods_supported") +
                "; this server knows only none for such clients",
            true};
    if (document.find("jwks") != nullptr && document.find("jwks_uri") != nullptr)
        return fault("has both jwks and jwks_uri, of which RFC 7591 section 2 allows one");
    return {};
}

/// A client that demands more than this server does must not get less.
Read<void> check_protection(const Object& document, const Settings& settings) {
    if (const auto demand = find_unmet_demand(document, settings, model::ClientType::public_))
        return fault_of(util::displayable(demand->member), demand->reason);
    ASSIGN_OR_RETURN(const auto algorithm, text_of(document, "id_token_signed_response_alg"));
    if (algorithm && *algorithm != crypto::to_string(settings.id_token_algorithms.front()))
        return fault_of("id_token_signed_response_alg", "demands a signature that this server does not make");
    ASSIGN_OR_RETURN(const auto of_answers, text_of(document, "authorization_signed_response_alg"));
    const bool is_made =
        !of_answers || (settings.jarm && *of_answers == crypto::to_string(settings.default_response_algorithm()));
    if (!is_made)
        return fault_of("authorization_signed_response_alg", "demands a signature that this server does not make");
    ASSIGN_OR_RETURN(const auto subject_type, text_of(document, "subject_type"));
    if (subject_type.value_or("public") != "public") return fault_of("subject_type", "is not public");
    return {};
}

Read<void> read_response_modes(const Object& document, const Settings& settings, Client& client) {
    ASSIGN_OR_RETURN(const auto names, texts_of(document, "response_modes"));
    if (!names) return {};
    client.response_modes = offered_response_modes(*names, settings);
    if (client.response_modes.empty()) return fault_of("response_modes", "names none that this server offers");
    return {};
}

Read<void> read_grants(const Object& document, Client& client) {
    // RFC 7591 §2: the defaults are this grant and this response type alone.
    ASSIGN_OR_RETURN(const auto grants, texts_of(document, "grant_types"));
    ASSIGN_OR_RETURN(const auto types, texts_of(document, "response_types"));
    if (grants && !contains(*grants, "authorization_code"))
        return fault("does not name authorization_code in grant_types");
    if (types && !contains(*types, "code")) return fault("does not name code in response_types");
    client.grants = {GrantType::authorization_code};
    if (grants && contains(*grants, "refresh_token")) client.grants.insert(GrantType::refresh_token);
    return {};
}

Read<std::vector<std::string>> read_addresses(const Object& document, const char* member, const Settings& settings,
                                              bool native) {
    ASSIGN_OR_RETURN(const auto given, texts_of(document, member));
    std::vector<std::string> uris;
    for (const std::string& uri : given.value_or(std::vector<std::string>())) {
        if (const auto problem = redirect_uri_problem(uri, native))
            return fault("has an address in " + std::string(member) + " that " + *problem);
        if (has_scheme_without_dot(uri))
            return fault("has an address in " + std::string(member) +
                         " that has a scheme without a dot, and RFC 8252 section 7.1 wants a domain name in reverse, "
                         "such as com.example.app:/callback");
        // Users would be shown the host of this server as the place of the application.
        if (is_this_server(settings.issuer, uri))
            return fault("has an address in " + std::string(member) + " that is this server's own");
        if (!contains(uris, uri)) uris.push_back(uri);
    }
    if (uris.size() > kMaxDocumentUris) return fault_of(member, "names more than 20 addresses");
    return uris;
}

bool is_https(std::string_view uri) {
    const auto url = http::parse_url(uri);
    return url && url->scheme == "https" && !url->host.empty();
}

/// OpenID Connect Registration §2. Where the document does not say it, its addresses do: RFC 7591 does not know the
/// member, and clients leave it out. An https address may be a native client's, too (RFC 8252 §7.2).
Read<void> read_redirect_uris(const Object& document, const Settings& settings, Client& client) {
    ASSIGN_OR_RETURN(const auto type, text_of(document, "application_type"));
    if (type && *type != "native" && *type != "web") return fault_of("application_type", "is neither native nor web");
    ASSIGN_OR_RETURN(client.redirect_uris, read_addresses(document, "redirect_uris", settings, true));
    if (client.redirect_uris.empty()) return fault("names no redirect_uris");
    const bool all_native = std::ranges::all_of(client.redirect_uris, is_loopback_or_private);
    client.native = type ? *type == "native" : all_native;
    const bool all_web = std::ranges::none_of(client.redirect_uris, is_loopback_or_private);
    if (!client.native && !all_web)
        return fault(
            "has an address in redirect_uris that only a native client may have, and is of application_type web; "
            "a document with addresses of both kinds must say native");
    ASSIGN_OR_RETURN(client.post_logout_redirect_uris,
                     read_addresses(document, "post_logout_redirect_uris", settings, client.native));
    return {};
}

/// The addresses are neither fetched nor shown. A client that cannot say where it lives is not well looked after.
Read<void> check_links(const Object& document) {
    for (const char* member : {"client_uri", "logo_uri", "policy_uri", "tos_uri", "initiate_login_uri",
                               "backchannel_logout_uri", "frontchannel_logout_uri"}) {
        ASSIGN_OR_RETURN(const auto uri, text_of(document, member));
        if (uri && (uri->size() > kMaxUriBytes || !is_https(*uri)))
            return fault_of(member, "is not an https URL of at most 2048 bytes");
    }
    return {};
}

Read<void> read_name(const Object& document, Client& client) {
    ASSIGN_OR_RETURN(const auto name, text_of(document, "client_name"));
    client.name = name.value_or(host_of_id(client.id));
    if (!name) return {};
    if (name->size() > kMaxClientNameBytes || util::displayable(*name) != *name)
        return fault_of("client_name", "is not 1 to 256 bytes of text without control and direction characters");
    if (!util::can_be_seen(*name)) return fault_of("client_name", "has no character that can be seen");
    return {};
}

Read<void> read_scope(const Object& document, const model::Scope& allowed, Client& client) {
    ASSIGN_OR_RETURN(const auto text, text_of(document, "scope"));
    if (!text) {
        client.scope = allowed;
        return {};
    }
    const auto asked = model::Scope::parse(*text);
    if (!asked) return fault_of("scope", "is not words separated by single spaces");
    for (const std::string& token : asked->tokens())
        if (allowed.contains(token)) client.scope.add(token);
    if (client.scope.empty() && !asked->empty()) return fault("asks for no scope that clientDocuments.scope has");
    return {};
}

}  // namespace

util::Result<Client, DocumentFault> read_client_document(const fetch::Document& document, const std::string& url,
                                                         const Settings& settings) {
    ASSIGN_OR_RETURN(const Object object, read_object(document));
    RETURN_IF_ERROR(check_identity(object, url));
    RETURN_IF_ERROR(check_method(object));
    RETURN_IF_ERROR(check_protection(object, settings));

    Client client;
    client.id = model::ClientId(url);
    client.origin = model::Origin::document;
    client.type = model::ClientType::public_;
    client.auth_method = model::AuthMethod::none;
    client.pkce = model::Pkce::required;
    client.require_par = demands_pushed_requests(object);
    client.dpop_bound = demands_bound_tokens(object);
    client.tls_bound = demands_certificate(object);
    RETURN_IF_ERROR(read_redirect_uris(object, settings, client));
    RETURN_IF_ERROR(read_grants(object, client));
    RETURN_IF_ERROR(read_response_modes(object, settings, client));
    RETURN_IF_ERROR(check_links(object));
    RETURN_IF_ERROR(read_name(object, client));
    RETURN_IF_ERROR(read_scope(object, settings.client_documents.scope, client));
    return client;
}

std::string digest_of(const Client& client) {
    sealed::Writer writer;
    writer(client.id, client.name, client.native, client.has_grant(GrantType::refresh_token), client.scope,
           client.require_par, client.dpop_bound, client.tls_bound);
    for (const std::string& uri : client.redirect_uris) writer(uri);
    writer(std::string());  // between the lists: no address is empty
    for (const std::string& mode : client.response_modes) writer(mode);
    writer(std::string());
    for (const std::string& uri : client.post_logout_redirect_uris) writer(uri);
    return util::base64url_encode(crypto::sha256(writer.take()));
}

model::SeenDocument seen_document(const Client& client) { return {digest_of(client), client.name}; }

bool looks_the_same(const Client& one, const Client& other) {
    return one.name == other.name && one.redirect_uris == other.redirect_uris;
}

Client described_again(Client stored, const Client& described) {
    stored.name = described.name;
    stored.native = described.native;
    stored.grants = described.grants;
    stored.scope = described.scope;
    stored.require_par = described.require_par;
    stored.dpop_bound = described.dpop_bound;
    stored.tls_bound = described.tls_bound;
    stored.response_modes = described.response_modes;
    stored.redirect_uris = described.redirect_uris;
    stored.post_logout_redirect_uris = described.post_logout_redirect_uris;
    return stored;
}

}  // namespace postern::oauth
