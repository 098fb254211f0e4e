// What to change after a refusal.
#pragma once

#include <string>

#include "server/refusal_ring.h"

namespace postern::cli {

enum class ClientKind {
    registered,  ///< by the operator, or not at all
    described,   ///< by the document at the URL that is its id
};

/// A few sentences for the operator of the server or of the client. Never empty. Commands name the client as one
/// word of a shell, or "ID" where its id is none, was cut, begins with a dash or cannot be read.
std::string advice_for(const server::RefusalRecord& refusal, ClientKind kind);

}  // namespace postern::cli
