// The environment of the rules: built once per process, passed as an argument, replaced by fakes in tests.
#pragma once

#include "audit/trail.h"
#include "crypto/random.h"
#include "db/database.h"
#include "fetch/document.h"
#include "keys/keys.h"
#include "oauth/settings.h"
#include "util/clock.h"
#include "util/log.h"

namespace postern::crypto {
class Authorities;
}

namespace postern::factor {
class PasswordList;
}

namespace postern::os {
class WakeFile;
}

namespace postern::oauth {

/// Borrows everything. `store` and `keys` hold only what the endpoint declared.
struct Context {
    const Settings& settings;
    db::Database& store;
    keys::Keys& keys;
    const util::Clock& clock;
    crypto::Random& random;
    const util::Log& log;
    audit::Trail& trail;
    fetch::Fetcher* fetcher =
        nullptr;  ///< nullptr: the configuration allows no fetching, or the endpoint does not fetch
    const factor::PasswordList* password_list =
        nullptr;  ///< nullptr: the configuration names none, or the endpoint takes no new passwords
    os::WakeFile* mail_wake = nullptr;    ///< nullptr: no mail is configured, or the endpoint asks for none
    os::WakeFile* logout_wake = nullptr;  ///< nullptr: back-channel logout is off, or the endpoint ends no session
    db::Database* replays =
        nullptr;  ///< marks of used JWTs; nullptr: `clientAssertions` is off, or the endpoint takes none
    db::Database* proofs = nullptr;  ///< marks of used proofs; nullptr: `dpop` is off, or the endpoint takes none

    const crypto::Authorities* authorities = nullptr;  ///< that issue certificates of clients; nullptr: `mtls.ca` is
                                                       ///< not set, or no client authenticates here

    util::Time now() const { return clock.now(); }
    /// Returns the arguments of fetch::read_document.
    fetch::Source documents() const { return {store, now(), fetcher, settings.outbound}; }
};

}  // namespace postern::oauth
