// Decides how the lists and objects of a client are written into columns.
#include "store/client_values.h"

#include "json/reader.h"
#include "json/writer.h"
#include "util/text.h"

namespace postern::store {
namespace {

constexpr const char* kIdTokenAlgorithm = "id_token_signed_response_alg";
constexpr const char* kBackchannel = "backchannel_logout_uri";
constexpr const char* kBackchannelSession = "backchannel_logout_session_required";
constexpr const char* kFrontchannel = "frontchannel_logout_uri";
constexpr const char* kFrontchannelSession = "frontchannel_logout_session_required";
constexpr const char* kApplicationType = "application_type";
constexpr const char* kResponseModes = "response_modes";
constexpr const char* kResponseAlgorithm = "authorization_signed_response_alg";
constexpr const char* kRequirePar = "require_pushed_authorization_requests";
constexpr const char* kDpopBound = "dpop_bound_access_tokens";
constexpr const char* kProfile = "profile";
constexpr const char* kResourceServer = "resource_server";
constexpr const char* kRequireSigned = "require_signed_request_object";
constexpr const char* kRequestAlgorithm = "request_object_signing_alg";
constexpr const char* kTlsBound = "tls_client_certificate_bound_access_tokens";
constexpr const char* kCertificateName = "certificate_name";

struct TextMember {
    const char* name;
    std::string model::RegisteredMetadata::*member;
};
constexpr TextMember kTextMembers[] = {
    {"initiate_login_uri", &model::RegisteredMetadata::initiate_login_uri},
    {"policy_uri", &model::RegisteredMetadata::policy_uri},
    {"tos_uri", &model::RegisteredMetadata::tos_uri},
};
constexpr const char* kSite = "postern_site";
constexpr const char* kUrl = "url";
constexpr const char* kMaxAge = "max_age";
constexpr const char* kSessionTtl = "session_ttl";
constexpr const char* kUserHeader = "user_header";
constexpr const char* kBearer = "bearer";

template <class Values>
std::string joined(const Values& values, const char* separator) {
    std::string text;
    for (const auto value : values) text.append(text.empty() ? "" : separator).append(to_string(value));
    return text;
}

json::Object parse_details(const std::string& column) {
    if (column.empty()) return {};
    const auto parsed = json::parse(column);
    const json::Object* details = parsed ? parsed->if_object() : nullptr;
    if (details == nullptr) throw db::StoreError("clients.details holds something else than a JSON object");
    return *details;
}

std::string text_of(const json::Object& details, const char* name) {
    const json::Value* value = details.find(name);
    if (value == nullptr) return "";
    const std::string* text = value->if_string();
    return known(text == nullptr ? std::nullopt : std::optional(*text), "details");
}

bool flag_of(const json::Object& details, const char* name) {
    const json::Value* value = details.find(name);
    const bool* flag = value == nullptr ? nullptr : value->if_bool();
    return flag != nullptr && *flag;
}

void write_logout_uris(const model::LogoutUris& uris, json::Object& details) {
    if (!uris.backchannel.empty()) details.set(kBackchannel, uris.backchannel);
    if (uris.backchannel_session_required) details.set(kBackchannelSession, true);
    if (!uris.frontchannel.empty()) details.set(kFrontchannel, uris.frontchannel);
    if (uris.frontchannel_session_required) details.set(kFrontchannelSession, true);
}

model::LogoutUris logout_uris_of(const json::Object& details) {
    return {text_of(details, kBackchannel), flag_of(details, kBackchannelSession), text_of(details, kFrontchannel),
            flag_of(details, kFrontchannelSession)};
}

/// Throws StoreError for anything but an algorithm's name.
std::optional<crypto::Algorithm> algorithm_of(const json::Object& details, const char* name) {
    const json::Value* value = details.find(name);
    if (value == nullptr) return std::nullopt;
    return known(value->if_string() ? crypto::parse_algorithm(*value->if_string()) : std::nullopt, "details");
}

std::set<std::string> modes_of(const json::Object& details) {
    const json::Value* value = details.find(kResponseModes);
    std::set<std::string> modes;
    if (value == nullptr) return modes;
    const json::Array* names = value->if_array();
    if (names == nullptr) throw db::StoreError("clients.details holds response_modes that are no list");
    for (const json::Value& name : *names) {
        const bool is_known = name.if_string() && model::find_mode(*name.if_string()) != nullptr;
        modes.insert(known(is_known ? std::optional(*name.if_string()) : std::nullopt, "details"));
    }
    return modes;
}

/// {"tls_client_auth_san_dns": "robot.example"}
std::optional<crypto::CertificateName> certificate_name_of(const json::Object& details) {
    const json::Value* value = details.find(kCertificateName);
    if (value == nullptr) return std::nullopt;
    const json::Object* object = value->if_object();
    if (object == nullptr || object->size() != 1) throw db::StoreError("clients.details holds no name of certificates");
    const auto& [name, text] = object->members().front();
    return crypto::CertificateName{known(model::parse_name_kind(name), "details"), text_of(*object, name.c_str())};
}

json::Object site_object(const model::Site& site) {
    json::Object object{{kUrl, site.url}};
    if (site.max_age) object.set(kMaxAge, std::int64_t{site.max_age->count()});
    if (site.session_ttl) object.set(kSessionTtl, std::int64_t{site.session_ttl->count()});
    if (site.user_header != model::UserHeader::name) object.set(kUserHeader, to_string(site.user_header));
    if (site.bearer) object.set(kBearer, true);
    return object;
}

/// Throws StoreError for a member of another type.
template <class Read>
auto read_member(const json::Object& object, const char* name, Read read) {
    const json::Value* value = object.find(name);
    return value ? std::optional(known(read(*value), "details")) : std::nullopt;
}

std::optional<std::string> as_text(const json::Value& value) {
    return value.if_string() ? std::optional(*value.if_string()) : std::nullopt;
}
std::optional<bool> as_flag(const json::Value& value) {
    return value.if_bool() ? std::optional(*value.if_bool()) : std::nullopt;
}
std::optional<util::Seconds> as_seconds(const json::Value& value) {
    return value.if_integer() ? std::optional(util::Seconds{*value.if_integer()}) : std::nullopt;
}
std::optional<model::SecurityProfile> as_security_profile(const json::Value& value) {
    return value.if_string() ? model::parse_security_profile(*value.if_string()) : std::nullopt;
}
model::SecurityProfile profile_of(const json::Object& details) {
    return read_member(details, kProfile, as_security_profile).value_or(model::SecurityProfile::none);
}
std::optional<model::UserHeader> as_user_header(const json::Value& value) {
    return value.if_string() ? model::parse_user_header(*value.if_string()) : std::nullopt;
}

model::Site read_site(const json::Object& object) {
    model::Site site;
    site.url = known(read_member(object, kUrl, as_text), "details");
    site.max_age = read_member(object, kMaxAge, as_seconds);
    site.session_ttl = read_member(object, kSessionTtl, as_seconds);
    site.user_header = read_member(object, kUserHeader, as_user_header).value_or(model::UserHeader::name);
    site.bearer = read_member(object, kBearer, as_flag).value_or(false);
    return site;
}

}  // namespace

std::string column_of(const std::set<model::GrantType>& grants) { return joined(grants, " "); }

std::set<model::GrantType> parse_grants(const std::string& column) {
    std::set<model::GrantType> grants;
    for (const auto word : util::split(column, ' ')) {
        if (!word.empty()) grants.insert(known(model::parse_grant_type(word), "grants"));
    }
    return grants;
}

std::string column_of(const std::set<model::ResponseType>& types) { return joined(types, ","); }

std::set<model::ResponseType> parse_response_types(const std::string& column) {
    std::set<model::ResponseType> types;
    if (column.empty()) return types;
    for (const auto words : util::split(column, ','))
        types.insert(known(model::parse_response_type(words), "response_types"));
    return types;
}

std::string column_of(const std::map<std::string, std::string>& names) {
    std::string text;
    for (const auto& [tag, name] : names) text.append(tag).append(" ").append(name).append("\n");
    return text;
}

std::map<std::string, std::string> parse_names(std::string_view column) {
    std::map<std::string, std::string> names;
    for (const std::string_view line : util::split(column, '\n'))
        if (const auto blank = line.find(' '); blank != std::string_view::npos)
            names.emplace(line.substr(0, blank), line.substr(blank + 1));
    return names;
}

std::string details_of(const model::Client& client) {
    json::Object details;
    if (client.id_token_algorithm)
        details.set(kIdTokenAlgorithm, std::string(crypto::to_string(*client.id_token_algorithm)));
    if (!client.response_modes.empty())
        details.set(kResponseModes, json::strings({client.response_modes.begin(), client.response_modes.end()}));
    if (client.response_algorithm)
        details.set(kResponseAlgorithm, std::string(crypto::to_string(*client.response_algorithm)));
    if (client.metadata.application_type)
        details.set(kApplicationType, std::string(model::to_string(*client.metadata.application_type)));
    for (const auto& [name, member] : kTextMembers)
        if (const std::string& text = client.metadata.*member; !text.empty()) details.set(name, text);
    write_logout_uris(client.logout, details);
    if (client.require_par) details.set(kRequirePar, true);
    if (client.dpop_bound) details.set(kDpopBound, true);
    if (client.security_profile != model::SecurityProfile::none)
        details.set(kProfile, std::string(model::to_string(client.security_profile)));
    if (!client.resource_server.empty()) details.set(kResourceServer, client.resource_server);
    if (client.require_signed_request) details.set(kRequireSigned, true);
    if (!client.request_object_alg.empty()) details.set(kRequestAlgorithm, client.request_object_alg);
    if (client.tls_bound) details.set(kTlsBound, true);
    if (const auto& name = client.certificate_name)
        details.set(kCertificateName, json::Object{{std::string(model::to_string(name->kind)), name->value}});
    if (client.site) details.set(kSite, site_object(*client.site));
    return details.members().empty() ? "" : json::write(details);
}

void read_details(const std::string& column, model::Client& client) {
    const json::Object details = parse_details(column);
    client.id_token_algorithm = algorithm_of(details, kIdTokenAlgorithm);
    client.response_modes = modes_of(details);
    client.response_algorithm = algorithm_of(details, kResponseAlgorithm);
    if (const json::Value* name = details.find(kApplicationType))
        client.metadata.application_type =
            known(name->if_string() ? model::parse_application_type(*name->if_string()) : std::nullopt, "details");
    for (const auto& [name, member] : kTextMembers) client.metadata.*member = text_of(details, name);
    client.logout = logout_uris_of(details);
    client.require_par = flag_of(details, kRequirePar);
    client.dpop_bound = flag_of(details, kDpopBound);
    client.security_profile = profile_of(details);
    client.resource_server = text_of(details, kResourceServer);
    client.require_signed_request = flag_of(details, kRequireSigned);
    client.request_object_alg = text_of(details, kRequestAlgorithm);
    client.tls_bound = flag_of(details, kTlsBound);
    client.certificate_name = certificate_name_of(details);
    if (const json::Value* site = details.find(kSite)) {
        if (site->if_object() == nullptr) throw db::StoreError("clients.details holds a site that is no object");
        client.site = read_site(*site->if_object());
    }
}

model::SecurityProfile read_security_profile(const std::string& column) {
    // Each use of a token asks, and hardly a client has one.
    if (column.find(kProfile) == std::string::npos) return model::SecurityProfile::none;
    return profile_of(parse_details(column));
}

model::LogoutUris read_logout_uris(const std::string& column) { return logout_uris_of(parse_details(column)); }

}  // namespace postern::store
