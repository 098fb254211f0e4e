// Reads the members of a registration request by their types.
#include "oauth/registered_members.h"

#include <utility>

#include "refusal/reason.h"
#include "util/text.h"

namespace postern::oauth::registering {

using json::Value;
using refusal::Reason;

OAuthError refuse(std::string description, std::string detail) {
    return make_error(ErrorCode::invalid_client_metadata, std::move(description), std::move(detail));
}
OAuthError not_offered(std::string_view member) {
    return make_error(Reason::invalid_client_metadata_not_offered, "a member demands what this server does not offer",
                      "member: " + util::displayable(member));
}
OAuthError refuse_redirect_uri(std::string description, std::string detail) {
    return make_error(ErrorCode::invalid_redirect_uri, std::move(description), std::move(detail));
}

Outcome<std::optional<std::string>> text_of(const Asked& asked, std::string_view member) {
    const Value* value = asked.request.find(member);
    if (value == nullptr) return std::optional<std::string>();
    if (value->if_string() == nullptr) return refuse(std::string(member) + " must be a string");
    return std::optional(*value->if_string());
}

Outcome<std::optional<Texts>> texts_of(const Asked& asked, std::string_view member) {
    const Value* value = asked.request.find(member);
    if (value == nullptr) return std::optional<Texts>();
    const OAuthError wrong = refuse(std::string(member) + " must be a list of strings");
    if (value->if_array() == nullptr) return wrong;
    Texts texts;
    for (const Value& item : *value->if_array()) {
        if (item.if_string() == nullptr) return wrong;
        texts.push_back(*item.if_string());
    }
    return std::optional(std::move(texts));
}

Outcome<bool> flag_of(const Asked& asked, std::string_view member) {
    const Value* value = asked.request.find(member);
    if (value == nullptr) return false;
    if (value->if_bool() == nullptr) return refuse(std::string(member) + " must be true or false");
    return *value->if_bool();
}

}  // namespace postern::oauth::registering
