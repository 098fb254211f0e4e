// Decides how the lists and objects of a client are written into columns.
#include "store/client_values.h"

#include "json/reader.h"
#include "json/writer.h"
#include "util/text.h"

namespace postern::store {
namespace {

constexpr const char* kIdTokenAlgorithm = "id_token_signed_response_alg";
constexpr const char* kApplicationType = "application_type";

struct TextMember {
    const char* name;
    std::string model::RegisteredMetadata::*member;
};
constexpr TextMember kTextMembers[] = {
    {"initiate_login_uri", &model::RegisteredMetadata::initiate_login_uri},
    {"policy_uri", &model::RegisteredMetadata::policy_uri},
    {"tos_uri", &model::RegisteredMetadata::tos_uri},
};

template <class Values>
std::string joined(const Values& values, const char* separator) {
    std::string text;
    for (const auto value : values) text.append(text.empty() ? "" : separator).append(to_string(value));
    return text;
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
    if (client.metadata.application_type)
        details.set(kApplicationType, std::string(model::to_string(*client.metadata.application_type)));
    for (const auto& [name, member] : kTextMembers)
        if (const std::string& text = client.metadata.*member; !text.empty()) details.set(name, text);
    return details.empty() ? "" : json::write(details);
}

void read_details(const std::string& column, model::Client& client) {
    if (column.empty()) return;
    const auto parsed = json::parse(column);
    const json::Object* details = parsed ? parsed->if_object() : nullptr;
    if (details == nullptr) throw db::StoreError("clients.details holds something else than a JSON object");
    if (const json::Value* name = details->find(kIdTokenAlgorithm))
        client.id_token_algorithm =
            known(name->if_string() ? crypto::parse_algorithm(*name->if_string()) : std::nullopt, "details");
    if (const json::Value* name = details->find(kApplicationType))
        client.metadata.application_type =
            known(name->if_string() ? model::parse_application_type(*name->if_string()) : std::nullopt, "details");
    for (const auto& [name, member] : kTextMembers)
        if (const json::Value* text = details->find(name); text != nullptr && text->if_string() != nullptr)
            client.metadata.*member = *text->if_string();
}

}  // namespace postern::store
