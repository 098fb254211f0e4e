// The world of the rules of lib/oauth and lib/oidc without a server: memory database, fixed clock, seeded random, keys
// made once per test run.
#pragma once

#include <memory>
#include <string>

#include "http/message.h"
#include "model/authorization.h"
#include "model/client.h"
#include "model/session.h"
#include "model/user.h"
#include "oauth/context.h"

namespace postern::test {

class RulesFixture {
public:
    RulesFixture();
    /// Uses a database that other processes work on too: `seed` tells its random values from theirs.
    RulesFixture(db::Database opened, const std::string& seed);

    /// Returns the context of a new request; the notes of an earlier request are forgotten.
    oauth::Context context() {
        trail.begin("test", "192.0.2.1");
        return {settings, database, *keys,   clock,   random,   log,     trail,
                fetcher,  nullptr,  nullptr, nullptr, &replays, &replays};
    }

    /// Registers a client with the grants and scopes that `client add` without options gives it.
    model::Client add_confidential(const std::string& id, const std::string& redirect_uri, const std::string& secret);
    model::Client add_public(const std::string& id, const std::string& redirect_uri);
    void add(const model::Client& client);
    model::User add_user(const std::string& username);
    /// Adds a session row for the user, logged in now; the cookie's value is `cookie`.
    model::Session add_session(const model::User& user, const std::string& cookie);

    util::FixedClock clock;
    crypto::SeededRandom random;
    oauth::Settings settings;
    db::Database database;
    db::Database replays;
    std::unique_ptr<keys::Keys> keys;
    util::Log log;
    audit::Trail trail;
    fetch::Fetcher* fetcher = nullptr;
};

/// Returns the keys of a process that has not read factor.key.
std::unique_ptr<keys::Keys> keys_without_factors();

/// Returns a form request as it would come from the gateway.
http::Request post(std::string_view form, std::string_view query = {});
http::Request get(std::string_view query);
http::Params params(std::string_view text);

/// Returns "Basic " + base64(id:secret), raw.
std::string basic_header(const std::string& id, const std::string& secret);

/// Returns the value of `name` in the query of a Location header, percent-decoded; "" when it is missing.
std::string location_parameter(const http::Response& response, const std::string& name);

}  // namespace postern::test
