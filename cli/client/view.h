// How a client is shown: everything but its secrets.
#pragma once

#include <vector>

#include "json/value.h"
#include "model/client.h"
#include "store/client_access.h"

namespace postern::cli {

/// Members by their names in RFC 7591 §2 where it has one.
json::Object to_json(const model::Client& client, const store::ClientAccess& access);
void print_client(const model::Client& client, const store::ClientAccess& access);
void print_clients(const std::vector<model::Client>& clients);

}  // namespace postern::cli
