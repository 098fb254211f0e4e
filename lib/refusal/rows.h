// The table of reasons in parts, which rows.cpp puts together.
#pragma once

#include <span>

#include "refusal/reason.h"

namespace postern::refusal {

extern const std::span<const Row> kOAuthRows;
extern const std::span<const Row> kScopeRows;
extern const std::span<const Row> kPageRows;
extern const std::span<const Row> kSignInRows;
extern const std::span<const Row> kDocumentRows;
extern const std::span<const Row> kRegistrationRows;
extern const std::span<const Row> kGateRows;

/// The advice about a user whom none of the client's rules lets in.
inline constexpr const char* kAdviceForOthers =
    "The client is for certain users and groups, as `postern client show {client}` says, and the user is not one of "
    "them. `postern group member add GROUP USER` or `postern client set {client} --allow-user USER` lets the user in. A "
    "group of login.groupsFromEnvironment follows the web server's variable at the user's next login.";

}  // namespace postern::refusal
