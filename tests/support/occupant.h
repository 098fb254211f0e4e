// A process that keeps all others from writing to the database of a deployment.
#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <doctest/doctest.h>
#include <optional>

#include "os/file.h"
#include "support/database.h"
#include "support/deployment.h"

namespace postern::test {

/// Keeps every other process from writing while it lives: it holds the write lock of a file, or locks of all tables
/// that an endpoint writes to on PostgreSQL.
class Occupant {
public:
    explicit Occupant(const Deployment& op) {
        if (is_on_postgresql()) {
            database_.emplace(op.database(), db::Access::read_write);
            transaction_.emplace(*database_, db::Durability::lazy);
            transaction_->run(
                "LOCK TABLE grants, sessions, authorization_requests, consents, authorization_codes, access_tokens, "
                "refresh_tokens, login_attempts IN EXCLUSIVE MODE");
            return;
        }
        gate_ = os::Descriptor(::open((op.database_file().string() + ".gate").c_str(), O_RDWR | O_CLOEXEC));
        REQUIRE(gate_);
        REQUIRE(::flock(gate_.get(), LOCK_EX) == 0);
    }

private:
    os::Descriptor gate_;
    std::optional<db::Database> database_;
    std::optional<db::Transaction> transaction_;
};

}  // namespace postern::test
