// What to change after a refusal: one table by error code, one by the reasons that share a code.
#pragma once

#include <string>

#include "server/refusal_ring.h"

namespace postern::cli {

enum class ClientKind {
    registered,  ///< by the operator, or not at all
    described,   ///< by the document at the URL that is its id
};

/// A few sentences for the operator of the server or of the client. Never empty. Commands name the client if its id
/// needs no quotes in a shell, otherwise "ID".
std::string advice_for(const server::RefusalRecord& refusal, ClientKind kind);

}  // namespace postern::cli
