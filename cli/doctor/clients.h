// Clients that share a problem, as a finding names them: how many there are, and the first.
#pragma once

#include <cstdint>
#include <string>

#include "cli/doctor/findings.h"
#include "db/database.h"
#include "model/client.h"

namespace postern::cli {

struct FoundClients {
    std::int64_t clients = 0;
    std::string first;

    void add(const model::Client& client) {
        if (clients++ == 0) first = client.id.str();
    }
};

/// Reads `SELECT count(*), COALESCE(MIN(id), '')`.
FoundClients find_clients(db::Statement row);

/// Warns of clients that authenticate by `method`, which is switched off. `fix` ends with ", or ".
void warn_of_method(Findings& findings, db::Database& database, const std::string& method, const std::string& fix);

}  // namespace postern::cli
