// `mail`: from whom messages to users are, which command sends them, and how many it may be given.
#include "config/mail.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "config/checks.h"

namespace postern::config {
namespace {

constexpr std::int64_t kMostPerHour = 100000;
constexpr std::size_t kMostArguments = 32;

using oauth::MailSettings;

Fault read_from(MailSettings& mail, const json::Value& value) {
    if (value.if_string() && text::read_mailbox(*value.if_string(), mail.from)) return std::nullopt;
    return "must be an address like id@example.org, or a name and an address like Example <id@example.org>";
}

/// It is run without a shell, so each argument is passed on as it is.
Fault read_command(MailSettings& mail, const json::Value& value) {
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

Fault read_per_hour(MailSettings& mail, const json::Value& value) {
    const std::int64_t* given = value.if_integer();
    if (given == nullptr || *given < 1 || *given > kMostPerHour)
        return "must be a whole number from 1 to " + std::to_string(kMostPerHour);
    mail.per_hour = static_cast<int>(*given);
    return std::nullopt;
}

struct Member {
    const char* name;
    Fault (*read)(MailSettings&, const json::Value&);
    bool is_required;
};
constexpr Member kMembers[] = {
    {"from", read_from, true}, {"command", read_command, true}, {"perHour", read_per_hour, false}};

}  // namespace

Problems read_mail(Config& config, const json::Value& value) {
    if (value.is_null()) {
        config.settings.mail.reset();
        return {};
    }
    const json::Object* given = value.if_object();
    if (given == nullptr) return wrong("must be an object with \"from\", \"command\" and \"perHour\"");
    MailSettings read;
    Problems problems;
    for (const auto& [name, member] : given->members()) {
        const auto* const known = std::ranges::find_if(kMembers, [&](const Member& each) { return name == each.name; });
        const Fault fault = known == std::end(kMembers) ? Fault("is not a known key") : known->read(read, member);
        if (fault) problems.push_back({"." + name, *fault});
    }
    for (const Member& member : kMembers)
        if (member.is_required && given->find(member.name) == nullptr)
            problems.push_back({"." + std::string(member.name), "is required"});
    config.settings.mail = std::move(read);
    return problems;
}

}  // namespace postern::config
