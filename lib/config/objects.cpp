// Which members the objects of the configuration have, and what each accepts.
#include "config/keys.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "model/group.h"
#include "os/unix_stream.h"
#include "util/text.h"

namespace postern::config {
namespace {

using login::GroupsFromEnvironment;
using login::Saslauthd;

constexpr std::size_t kLongestService = 64;
constexpr std::size_t kLongestRealm = 255;
constexpr std::size_t kMostGroups = 256;
constexpr std::size_t kLongestSeparator = 16;
constexpr std::size_t kLongestValue = 1024;  // of a group: the name of an entry in a directory
constexpr std::int64_t kMostPerHour = 100000;
constexpr std::size_t kMostArguments = 32;

template <class T>
struct Member {
    const char* name;
    Fault (*read)(T& read, const json::Value& value);
    bool is_required;
};

template <class T, std::size_t size>
Problems read_members(T& read, const json::Object& object, const Member<T> (&members)[size]) {
    Problems problems = read_each(object, [&](const std::string& name, const json::Value& value) {
        const auto* const known =
            std::ranges::find_if(members, [&](const auto& member) { return name == member.name; });
        return known == std::end(members) ? Fault("is not a known key") : known->read(read, value);
    });
    for (const Member<T>& member : members)
        if (member.is_required && object.find(member.name) == nullptr)
            problems.push_back({"." + std::string(member.name), "is required"});
    return problems;
}

template <auto member, Fault (*check)(std::string_view), class T>
Fault read_text(T& read, const json::Value& value) {
    if (value.if_string() == nullptr) return "must be a string";
    read.*member = *value.if_string();
    return check(*value.if_string());
}

/// unix(7): an abstract name would not begin with a slash.
Fault socket_fault(std::string_view path) {
    if (const Fault fault = file_fault(path)) return fault;
    if (path.size() > os::UnixStream::kLongestPath) return "must have at most 107 bytes, as paths of sockets do";
    return std::nullopt;
}

/// With PAM it is the name of a file.
Fault service_fault(std::string_view service) {
    constexpr std::string_view kCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const bool is_name = !service.empty() && service.size() <= kLongestService && service.front() != '.' &&
                         service.find_first_not_of(kCharacters) == service.npos;
    return is_name ? std::nullopt
                   : Fault("must be 1 to 64 of the characters A-Z a-z 0-9 . _ -, the first of which is no dot");
}

Fault realm_fault(std::string_view realm) {
    const bool is_printable = std::ranges::all_of(realm, [](char c) { return c > ' ' && c < 0x7f; });
    return is_printable && realm.size() <= kLongestRealm
               ? std::nullopt
               : Fault("must be at most 255 printable ASCII characters without blanks");
}

constexpr Member<Saslauthd> kSaslauthd[] = {{"socket", read_text<&Saslauthd::socket, socket_fault>, false},
                                            {"service", read_text<&Saslauthd::service, service_fault>, false},
                                            {"realm", read_text<&Saslauthd::realm, realm_fault>, false}};

Fault separator_fault(std::string_view separator) {
    if (separator.empty() || separator.size() > kLongestSeparator || util::has_control_bytes(separator))
        return "must be the 1 to 16 bytes, no control characters, that the web server writes between two values";
    return std::nullopt;
}

/// The groups themselves are read once the separator is known.
Fault group_map_fault(GroupsFromEnvironment&, const json::Value& value) {
    const json::Object* map = value.if_object();
    const bool fits = map != nullptr && !map->empty() && map->size() <= kMostGroups;
    return fits ? Fault() : Fault("must be an object of 1 to 256 members: values, and the groups that they stand for");
}

constexpr Member<GroupsFromEnvironment> kGroups[] = {
    {"variable", read_text<&GroupsFromEnvironment::variable, variable_fault>, true},
    {"separator", read_text<&GroupsFromEnvironment::separator, separator_fault>, true},
    {"groups", group_map_fault, true}};

/// Refuses a value that the variable can never have, such as a value with the separator inside.
Fault group_fault(std::string_view value, std::string_view separator, const std::string* group) {
    if (value.empty() || value.size() > kLongestValue || util::has_control_bytes(value))
        return "must be a value of 1 to 1024 bytes without control characters";
    if (!separator.empty() && value.find(separator) != value.npos)
        return "holds the separator, so no value of the variable can be equal to it";
    if (group == nullptr || !model::is_group_name(*group))
        return "must be the name of a group: 1 to 64 of the characters A-Z a-z 0-9 . _ -";
    return std::nullopt;
}

void read_group_map(GroupsFromEnvironment& read, const json::Object& map, Problems& problems) {
    for (const auto& [value, group] : map.members()) {
        if (const Fault fault = group_fault(value, read.separator, group.if_string()))
            problems.push_back({".groups." + value, *fault});
        else
            read.groups[value] = *group.if_string();
    }
}

Fault read_from(mail::Settings& mail, const json::Value& value) {
    if (value.if_string() && text::read_mailbox(*value.if_string(), mail.from)) return std::nullopt;
    return "must be an address like id@example.org, or a name and an address like Example <id@example.org>";
}

/// The command is run without a shell, so each argument is passed on as it is.
Fault read_command(mail::Settings& mail, const json::Value& value) {
    const json::Array* given = value.if_array();
    if (given == nullptr || given->empty() || given->size() > kMostArguments)
        return "must be a list of a program and its arguments, like [\"/usr/sbin/sendmail\", \"-t\", \"-i\"]";
    for (const json::Value& word : *given) {
        if (word.if_string() == nullptr || word.if_string()->find('\0') != std::string::npos)
            return "must be a list of strings";
        mail.command.push_back(*word.if_string());
    }
    if (file_fault(mail.command.front())) return "must begin with the absolute file name of a program";
    return std::nullopt;
}

Fault read_per_hour(mail::Settings& mail, const json::Value& value) {
    const std::int64_t* given = value.if_integer();
    if (given == nullptr || *given < 1 || *given > kMostPerHour)
        return "must be a whole number from 1 to " + std::to_string(kMostPerHour);
    mail.per_hour = static_cast<int>(*given);
    return std::nullopt;
}

constexpr Member<mail::Settings> kMail[] = {
    {"from", read_from, true}, {"command", read_command, true}, {"perHour", read_per_hour, false}};

using oauth::MutualTls;
constexpr Member<MutualTls> kMtls[] = {{"certificate", read_text<&MutualTls::certificate, variable_fault>, false},
                                       {"verify", read_text<&MutualTls::verify, verify_variable_fault>, false},
                                       {"baseUrl", read_text<&MutualTls::base_url, alias_fault>, true},
                                       {"ca", read_text<&MutualTls::ca, file_fault>, false}};

}  // namespace

Problems read_saslauthd(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object with \"socket\", \"service\" and \"realm\"");
    return read_members(config.settings.login.saslauthd.emplace(), *value.if_object(), kSaslauthd);
}

Problems read_groups_from_environment(Config& config, const json::Value& value) {
    if (value.is_null()) return {};
    if (value.if_object() == nullptr)
        return wrong("must be null, or an object with \"variable\", \"separator\" and \"groups\"");
    GroupsFromEnvironment read;
    Problems problems = read_members(read, *value.if_object(), kGroups);
    const json::Value* map = value.if_object()->find("groups");
    if (map != nullptr && !group_map_fault(read, *map)) read_group_map(read, *map->if_object(), problems);
    if (problems.empty()) config.settings.login.groups_from_environment = std::move(read);
    return problems;
}

Problems read_mtls(Config& config, const json::Value& value) {
    if (value.is_null()) return {};
    if (value.if_object() == nullptr)
        return wrong("must be an object with \"baseUrl\", \"ca\", \"certificate\" and \"verify\"");
    return read_members(config.settings.mtls.emplace(), *value.if_object(), kMtls);
}

Problems read_mail(Config& config, const json::Value& value) {
    if (value.is_null()) return {};
    if (value.if_object() == nullptr) return wrong("must be an object with \"from\", \"command\" and \"perHour\"");
    return read_members(config.settings.mail.emplace(), *value.if_object(), kMail);
}

}  // namespace postern::config
