// Which recorded refusals match --client and --user?
#pragma once

#include <optional>

#include "cli/why/why.h"
#include "model/ids.h"
#include "server/refusal_record.h"

namespace postern::cli {

/// A filter whose user has been looked up.
struct Match {
    std::optional<std::string> client;
    std::optional<model::Subject> user;

    bool operator()(const server::RefusalRecord& refusal) const {
        return (!client || server::is_of_client(refusal, *client)) && (!user || refusal.subject == user->str());
    }
};

/// Looks up the user; a client need not be registered. Throws Refused for an unknown user.
Match match_of(const config::Config& config, const RefusalFilter& filter);

}  // namespace postern::cli
