// A client that is a program, with a key or a certificate in place of a secret, at an installation.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "installation.h"
#include "store/clients.h"
#include "support/files.h"

namespace postern::test {

/// Options with which `client add` refuses a client, and a part of the reason.
struct RefusedOptions {
    Words options;
    const char* reason;
};

struct WithRobot {
    Installation installation;

    /// Writes a file beside the configuration; returns its path.
    std::string file(const std::string& name, const std::string& text) const {
        const std::string path = (installation.directory() / name).string();
        write_file(path, text);
        return path;
    }
    json::Value add(const Words& options) const { return installation.must_json(joined(adding("robot"), options)); }

    /// Returns the errors of a command, which must fail without a result.
    std::string refusal(const Words& arguments) const {
        const auto result = installation.postern(arguments);
        CHECK(result.exit_code != 0);
        CHECK(result.out.empty());
        return result.err;
    }
    void check_refused(const std::vector<RefusedOptions>& rows) const {
        for (const RefusedOptions& row : rows) {
            CAPTURE(row.reason);
            CHECK(has(refusal(joined(adding("x"), row.options)), row.reason));
        }
    }
    std::size_t secrets() const {
        auto database = installation.open();
        const auto client = store::find_client(database, model::ClientId("robot"), util::SystemClock().now());
        REQUIRE(client);
        return client->secrets.size();
    }

private:
    static Words adding(const std::string& id) {
        return {"client", "add", id, "--grant", "client_credentials", "--scope", "api"};
    }
};

}  // namespace postern::test
