// Counts for an operator and for monitoring.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "db/database.h"
#include "store/sessions.h"
#include "util/clock.h"

namespace postern::store {

struct Statistics {
    struct ByState {
        std::int64_t enabled = 0;
        std::int64_t disabled = 0;
    };
    ByState clients;
    std::int64_t document_clients = 0;    ///< of these: what a document describes
    std::int64_t dynamic_clients = 0;     ///< those that registered themselves
    std::int64_t strangers = 0;           ///< of these: without an initial access token
    ByState sites;                        ///< of these: what the gate protects
    std::int64_t restricted_clients = 0;  ///< only for the users and groups of their lists
    ByState users;
    std::int64_t remembered_devices = 0;  ///< in which a password is enough, as devices_of has them
    std::int64_t sessions = 0;            ///< neither expired nor idle, of users who are enabled
    std::int64_t consents = 0;
    std::int64_t grants = 0;               ///< not ended, and something under it has not expired
    std::int64_t authorization_codes = 0;  ///< these three: active, as list_tokens has it
    std::int64_t access_tokens = 0;
    std::int64_t refresh_tokens = 0;
    std::int64_t device_codes = 0;  ///< pending or approved, and not expired
};

/// Each number is consistent in itself, not with the others: one snapshot for all would keep the WAL from being reset.
/// Remembered devices count for `remembered` from their first use on.
Statistics read_statistics(db::Database& database, const SessionLife& life, util::Seconds remembered);

}  // namespace postern::store
