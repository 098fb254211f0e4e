#include "db/postgres/connection_options.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "db/error.h"
#include "unit/db/fixture.h"
#include "util/text.h"

namespace postern::db {
namespace {

/// "" for an option that libpq is not told.
std::string option(const ConnectionOptions& options, const std::string& name) {
    const auto names = options.names();
    for (std::size_t i = 0; names[i]; ++i) {
        if (names[i] == name) return options.values()[i];
    }
    return "";
}

TEST_CASE("ConnectionOptions: what a URI leaves out has the product's own value") {
    struct Row {
        const char* uri;
        const char* name;
        const char* value;
    };
    const Row rows[] = {
        {"postgresql:///op", "user", "postern_token"},
        {"postgresql:///op?user=one", "user", "one"},
        {"postgresql://one@127.0.0.1/op", "user", "one"},
        {"postgresql:///op", "application_name", "postern-token"},
        {"postgresql:///op", "target_session_attrs", "read-write"},
        {"postgresql:///op?target_session_attrs=primary", "target_session_attrs", "primary"},
        {"postgresql:///op", "client_encoding", "UTF8"},
        {"postgresql:///op", "connect_timeout", "2"},
        {"postgresql:///op?passfile=/etc/op/{endpoint}.pass", "passfile", "/etc/op/token.pass"},
        {"postgresql:///op?sslkey=/k/{endpoint}/{endpoint}.key", "sslkey", "/k/token/token.key"},
        // A server that is not on this machine has to prove its name.
        {"postgresql:///op", "sslmode", ""},
        {"postgresql:///op?host=/run/postgresql", "sslmode", ""},
        {"postgresql://127.0.0.1,localhost/op", "sslmode", ""},
        {"postgresql://192.0.2.1/op", "sslmode", "verify-full"},
        {"postgresql://127.0.0.1,192.0.2.1/op", "sslmode", "verify-full"},
        {"postgresql:///op?host=localhost&hostaddr=192.0.2.1", "sslmode", "verify-full"},
        {"postgresql:///op?hostaddr=192.0.2.1", "sslmode", "verify-full"},
        {"postgresql://192.0.2.1/op?sslmode=require", "sslmode", "require"},
        {"postgresql:///op?host=/run/postgresql", "hostaddr", ""},
        {"postgresql://192.0.2.1,127.0.0.1/op", "hostaddr", "192.0.2.1,127.0.0.1"},
        {"postgresql://192.0.2.1,127.0.0.1:6/op", "host", "192.0.2.1,127.0.0.1"},
        {"postgresql://192.0.2.1:5,127.0.0.1:6/op", "port", "5,6"},
        {"postgresql:///op?host=/run/one,192.0.2.1", "hostaddr", ",192.0.2.1"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.uri);
        CAPTURE(row.name);
        CHECK(option(ConnectionOptions(row.uri, "token"), row.name) == row.value);
    }
}

TEST_CASE(
    "ConnectionOptions: a URI with a password, or none that libpq reads, is refused, and the password is not repeated") {
    for (const char* uri : {"postgresql://one:s3cret@db1/op", "postgresql://db1/op?password=s3cret",
                            "postgresql://db1/op?sslpassword=s3cret", "postgresql://db1/op?no_such_option=1",
                            "postgresql://one:s3cret@[::1/op", "postgresql://one:s3%cret@db1/op"}) {
        CAPTURE(uri);
        const std::string why = test::refusal<StoreUnusable>([&] { ConnectionOptions(uri, "token"); });
        CHECK(test::mentions(why, "\"database\""));
        CHECK_FALSE(test::mentions(why, "s3cret"));
    }
}

TEST_CASE("ConnectionOptions: each address of a host is tried, at the host's port") {
    const ConnectionOptions options("postgresql://192.0.2.1:5,localhost:6/op", "token");
    const auto hosts = option(options, "host");
    const auto addresses = option(options, "hostaddr");
    const auto ports = option(options, "port");
    const auto each_host = util::split(hosts, ',');
    const auto each_address = util::split(addresses, ',');
    const auto each_port = util::split(ports, ',');
    REQUIRE(each_host.size() == each_address.size());
    REQUIRE(each_port.size() == each_address.size());
    CHECK(std::ranges::count(each_address, "127.0.0.1") == 1);
    for (std::size_t i = 0; i < each_host.size(); ++i) {
        CHECK(each_host[i] == (each_address[i] == "192.0.2.1" ? "192.0.2.1" : "localhost"));
        CHECK(each_port[i] == (each_address[i] == "192.0.2.1" ? "5" : "6"));
    }
}

TEST_CASE("ConnectionOptions: the sockets that a connection may need are known, for a sandbox [G05]") {
    for (const char* variable : {"PGPORT", "PGHOST", "PGHOSTADDR"}) unsetenv(variable);
    struct Row {
        const char* uri;
        std::vector<std::uint16_t> ports;
        bool has_unix_sockets;
        bool has_abstract_sockets;
    };
    const auto check = [](const std::vector<Row>& rows) {
        for (const Row& row : rows) {
            CAPTURE(std::string(row.uri));
            const auto sockets = ConnectionOptions(row.uri, "token").sockets();
            CHECK(sockets.ports == row.ports);
            CHECK(sockets.has_unix_sockets == row.has_unix_sockets);
            CHECK(sockets.has_abstract_sockets == row.has_abstract_sockets);
        }
    };
    const std::string unknown = "postgresql://" + std::string(64, 'x') + "/op";  // a name that is never resolved
    check({
        {"postgresql:///op", {}, true, false},
        {"postgresql:///op?host=/run/postgresql&port=6", {}, true, false},
        {"postgresql:///op?host=@name", {}, true, true},
        {"postgresql://192.0.2.1/op", {5432}, false, false},
        {"postgresql://192.0.2.1:5,192.0.2.2:6/op", {5, 6}, false, false},
        {"postgresql://192.0.2.1,[2001:db8::1]/op?port=7", {7, 7}, false, false},
        {"postgresql:///op?host=/run/one,192.0.2.1&port=5,6", {6}, true, false},
        {"postgresql:///op?hostaddr=192.0.2.1", {5432}, false, false},
        {"postgresql:///op?host=/run/one&hostaddr=192.0.2.1", {5432}, false, false},
        {unknown.c_str(), {5432}, false, false},
    });
    setenv("PGPORT", "9", 1);
    check({{"postgresql://192.0.2.1,192.0.2.2:6/op", {9, 6}, false, false}});
    setenv("PGHOST", "192.0.2.3", 1);
    check({{"postgresql:///op", {9}, false, false}, {"postgresql:///op?host=/run/one", {}, true, false}});
    for (const char* variable : {"PGPORT", "PGHOST"}) unsetenv(variable);
}

TEST_CASE("ConnectionOptions: a host that has a name, and one that has no address") {
    struct Row {
        std::string hosts;
        bool has_names;
        bool has_fault;
    };
    const std::string unknown(64, 'x');  // longer than a name can be, so that nobody is asked
    for (const auto& [hosts, has_names, has_fault] : {
             Row{"192.0.2.1", false, false},
             Row{"[2001:db8::1],localhost", false, false},
             Row{"", false, false},
             Row{"192.0.2.1," + unknown, true, false},
             Row{unknown, true, true},
         }) {
        CAPTURE(hosts);
        const ConnectionOptions options("postgresql://" + hosts + "/op", "token");
        CHECK(options.has_names() == has_names);
        CHECK(options.fault() == (has_fault ? "no host of \"database\" can be resolved: " + hosts : ""));
    }
}

TEST_CASE("ConnectionOptions: a URI that leads to a standby, or elsewhere, is refused") {
    for (const char* uri :
         {"postgresql://192.0.2.1/op?target_session_attrs=any",
          "postgresql://192.0.2.1/op?target_session_attrs=standby",
          "postgresql://192.0.2.1/op?target_session_attrs=prefer-standby", "postgresql:///?service=op"}) {
        CAPTURE(uri);
        CHECK(test::mentions(test::refusal<StoreUnusable>([&] { ConnectionOptions(uri, "token"); }), "\"database\""));
    }
}

TEST_CASE("ConnectionOptions: the files that a connection reads are known, for a sandbox") {
    const ConnectionOptions options(
        "postgresql://192.0.2.1/op?sslrootcert=/c/ca.pem&sslcert=/c/{endpoint}.pem&sslkey=/c/{endpoint}.key", "login");
    CHECK(options.files() == std::vector<std::string>{"/c/login.pem", "/c/login.key", "/c/ca.pem"});
    CHECK(ConnectionOptions("postgresql:///op", "login").files().empty());
}

}  // namespace
}  // namespace postern::db
