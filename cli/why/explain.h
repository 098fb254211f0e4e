// A recorded refusal in the words of the operator: who it was about, and what to change.
#pragma once

#include <string>

#include "cli/output.h"
#include "config/config.h"
#include "server/refusal_record.h"

namespace postern::cli {

/// A refusal with what the database adds to it.
struct ExplainedRefusal {
    server::RefusalRecord record;
    std::string username;  ///< "" if no user is known, the user was removed or the database cannot be asked
    std::string advice;    ///< a few sentences for the operator of the server or of the client
};

/// Explains a record. Commands in the advice name the client as one word of a shell, or "ID" where its id is none, was
/// cut, begins with a dash or cannot be read.
ExplainedRefusal explain(const config::Config& config, server::RefusalRecord record);

/// Returns the lines for people, and the members for programs.
Listing listing_of(const ExplainedRefusal& refusal);

}  // namespace postern::cli
