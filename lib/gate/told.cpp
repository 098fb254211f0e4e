// Decides what an application is told about its user, and what has no room.
#include "gate/told.h"

#include <algorithm>
#include <array>
#include <optional>

#include "model/group.h"
#include "util/text.h"

namespace postern::gate {
namespace {

/// UTF-8 without control characters, and without blanks at its ends, which are no part of a header's value (RFC 9110
/// §5.5).
bool can_stand_in_header(std::string_view value) {
    return !value.empty() && util::is_utf8(value) && !util::has_control_bytes(value) && util::trim(value) == value;
}

std::optional<std::string> text_of(const json::Object& claims, std::string_view name) {
    const json::Value* value = claims.find(name);
    const std::string* text = value ? value->if_string() : nullptr;
    return text ? std::optional(*text) : std::nullopt;
}

bool is_true(const json::Object& claims, std::string_view name) {
    const json::Value* value = claims.find(name);
    const bool* flag = value ? value->if_bool() : nullptr;
    return flag && *flag;
}

/// nullopt: the scope releases none. A name with a comma would be two: then the text has no spelling.
std::optional<std::string> groups_of(const json::Object& claims) {
    const json::Value* value = claims.find(model::kGroups);
    const json::Array* list = value ? value->if_array() : nullptr;
    if (!list) return std::nullopt;
    std::vector<std::string> names;
    for (const json::Value& each : *list) {
        const std::string* name = each.if_string();
        if (!name || name->find(',') != name->npos || !can_stand_in_header(*name)) return std::string();
        names.push_back(*name);
    }
    if (names.empty()) return std::nullopt;
    std::ranges::sort(names);
    std::string joined;
    for (const std::string& name : names) joined.append(joined.empty() ? "" : ",").append(name);
    return joined;
}

util::Result<std::string, Untold> remote_user(const model::Site& site, const ToldUser& user) {
    switch (site.user_header) {
        case model::UserHeader::name:
            return user.username;
        case model::UserHeader::subject:
            return user.subject.str();
        case model::UserHeader::email:
            break;
    }
    const auto email = text_of(user.claims, "email");
    if (!email) return Untold{"the user has no e-mail address, by which the site knows its users"};
    if (!is_true(user.claims, "email_verified")) return Untold{"the user's e-mail address is not verified"};
    return *email;
}

struct Header {
    std::string_view name;
    std::optional<std::string> value;
};

/// The order in which headers are left out where there is no room.
constexpr std::array kFirstToGo = {kRemoteGroups, kRemoteName, kRemoteEmail};

std::size_t bytes_of(const std::vector<Header>& headers) {
    std::size_t bytes = 0;
    for (const Header& header : headers) bytes += header.value ? header.value->size() : 0;
    return bytes;
}

void leave_out(std::vector<Header>& headers, std::string_view name, std::vector<std::string>& left_out) {
    const auto header = std::ranges::find(headers, name, &Header::name);
    if (!header->value) return;
    header->value.reset();
    left_out.emplace_back(name);
    if (name == kRemoteEmail) std::ranges::find(headers, kRemoteEmailVerified, &Header::name)->value.reset();
}

}  // namespace

util::Result<ToldHeaders, Untold> tell_user(const model::Site& site, const ToldUser& user) {
    ASSIGN_OR_RETURN(const auto name, remote_user(site, user));
    if (!can_stand_in_header(name)) return Untold{"the user's name cannot stand in a header"};
    if (name.size() > kMaxToldBytes) return Untold{"the user's name is longer than 4096 bytes"};
    const auto email = text_of(user.claims, "email");
    const std::string verified = is_true(user.claims, "email_verified") ? "true" : "false";
    std::vector<Header> headers = {
        {kRemoteUser, name},
        {kRemoteName, text_of(user.claims, "name")},
        {kRemoteEmail, email},
        {kRemoteEmailVerified, email ? std::optional(verified) : std::nullopt},
        {kRemoteGroups, groups_of(user.claims)},
        {kRemoteSubject, user.subject.str()},
    };
    ToldHeaders told;
    for (const std::string_view each : kFirstToGo) {
        const auto& value = std::ranges::find(headers, each, &Header::name)->value;
        if (value && !can_stand_in_header(*value)) leave_out(headers, each, told.left_out);
    }
    for (const std::string_view each : kFirstToGo)
        if (bytes_of(headers) > kMaxToldBytes) leave_out(headers, each, told.left_out);
    if (bytes_of(headers) > kMaxToldBytes) return Untold{"the user's name is too long beside the subject"};
    for (Header& header : headers)
        if (header.value) told.headers.emplace_back(header.name, std::move(*header.value));
    return told;
}

}  // namespace postern::gate
