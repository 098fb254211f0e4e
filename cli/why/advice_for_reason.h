// What to change where several reasons share an error code.
#pragma once

#include <optional>
#include <string_view>

#include "cli/why/advice.h"
#include "server/refusal_ring.h"

namespace postern::cli {

/// For a user whom none of the client's rules lets in.
inline constexpr std::string_view kAdviceForOthers =
    "The client is for certain users and groups, as `postern client show {client}` says, and the user is not one of "
    "them. `postern group member add GROUP USER` or `postern client set {client} --allow-user USER` lets the user in. A "
    "group of login.groupsFromEnvironment follows the web server's variable at the user's next login.";

/// Whether the advice is a command that `client set` refuses for a client that a document describes, which the operator
/// did not register (cli/client/documents.cpp): only the options about its users and its tokens are accepted for it.
constexpr bool is_refused_for_documents(std::string_view advice) {
    constexpr std::string_view kSet = "`postern client set {client} --";
    constexpr std::string_view kAccepted[] = {"allow-user", "resource", "default-resource"};
    if (advice.find("`postern client secret {client}") != advice.npos) return true;
    for (auto at = advice.find(kSet); at != advice.npos; at = advice.find(kSet, at + 1)) {
        bool is_accepted = false;
        for (const std::string_view option : kAccepted)
            is_accepted = is_accepted || advice.substr(at + kSet.size()).starts_with(option);
        if (!is_accepted) return true;
    }
    return false;
}

/// The text for the reason that the description or the detail of the refusal begins with; nullopt: the error code says
/// enough. "{client}" in it stands for the id of the client.
std::optional<std::string_view> advice_for_reason(const server::RefusalRecord& refusal, ClientKind kind);

}  // namespace postern::cli
