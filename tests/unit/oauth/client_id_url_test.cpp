// Which URL can be the id of a client that a document describes, and from which host.
#include "oauth/client_id_url.h"

#include <doctest/doctest.h>

#include "http/url.h"

using namespace postern;

namespace {

struct Row {
    const char* url;
    const char* problem;  ///< how it begins; "" for a URL that is good
};

std::string problem_of(std::string_view url, const std::vector<std::uint16_t>& ports = {443}) {
    return oauth::client_id_url_problem(url, ports).value_or("");
}

oauth::Settings settings_with(std::vector<std::string> allow, std::vector<std::string> deny) {
    oauth::Settings settings;
    settings.issuer = "https://id.example.org/base";
    settings.client_documents.enabled = true;
    settings.client_documents.allow = std::move(allow);
    settings.client_documents.deny = std::move(deny);
    return settings;
}

}  // namespace

TEST_CASE("client_id_url_problem: an https URL in its one spelling, and no neighbour of it [CIMD-1, CIMD-2, A28]") {
    // clang-format off
    const Row rows[] = {
        {"https://app.example/client.json", ""},
        {"https://app.example/", ""},
        {"https://app.example/a?b=c", ""},
        {"https://app.example/a/%7Euser/.well-known/c", ""},
        {"https://app.example/..a/b..", ""},
        {"https://app.example:443/c", ""},
        {"https://xn--bcher-kva.example/c", ""},
        {"https://192.0.2.1/c", ""},
        {"https://[2001:db8::1]/c", ""},
        {"https://localhost/c", ""},

        {"", "does not begin"},
        {"http://app.example/c", "does not begin"},
        {"HTTPS://app.example/c", "does not begin"},
        {"https:/app.example/c", "does not begin"},
        {" https://app.example/c", "does not begin"},
        {"https://app.example", "has no path"},
        {"https://app.example?c", "has no path"},
        {"https://app.example/c#", "has a fragment"},
        {"https://app.example/c#x", "has a fragment"},
        {"https://user@app.example/c", "has a user name"},
        {"https://:@app.example/c", "has a user name"},
        {"https://@app.example/c", "has a user name"},
        {"https://app.example@evil.example/c", "has a user name"},
        {"https://app.example/./c", "has a segment"},
        {"https://app.example/../c", "has a segment"},
        {"https://app.example/a/..", "has a segment"},
        {"https://app.example/a/.", "has a segment"},
        {"https://app.example/%2e/c", "has a segment"},
        {"https://app.example/a/%2E%2e/c", "has a segment"},
        {"https://app.example/a/.%2e/c", "has a segment"},
        {"https://app.example/a%2f..%2fc", "has a segment"},
        {"https://app.example/a\\c", "has a control"},
        {"https://app.example/a c", "has a control"},
        {"https://app.example/a\tc", "has a control"},
        {"https://app.example/\xc3\xa9", "has a control"},
        {"https://app.example/a%00c", "has an encoded"},
        {"https://app.example/a%0ac", "has an encoded"},
        {"https://app.example/a%5cc", "has an encoded"},
        {"https://app.example/a%zz", "is not a URL"},
        {"https:///c", "has a host"},
        {"https://App.example/c", "has a host"},
        {"https://app.example./c", "has a host"},
        {"https://app..example/c", "has a host"},
        {"https://-app.example/c", "has a host"},
        {"https://app-.example/c", "has a host"},
        {"https://app%2eexample/c", "has a host"},
        {"https://app_1.example/c", "has a host"},
        {"https://127.1/c", "has a host"},
        {"https://2130706433/c", "has a host"},
        {"https://0x7f.0.0.1/c", "has a host"},
        {"https://a.0x7f/c", "has a host"},
        {"https://0177.0.0.1/c", "has a host"},
        {"https://1.2.3.4.5/c", "has a host"},
        {"https://256.0.0.1/c", "has a host"},
        {"https://[2001:DB8::1]/c", "has a host"},
        {"https://[2001:db8:0::1]/c", "has a host"},
        {"https://[::1/c", "is not a URL"},
        {"https://app.example:/c", "has a port"},
        {"https://app.example:0/c", "has a port"},
        {"https://app.example:0443/c", "has a port"},
        {"https://app.example:8443/c", "has a port"},
        {"https://app.example:65536/c", "has a port"},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(row.url);
        const std::string problem = problem_of(row.url);
        CAPTURE(problem);
        CHECK(problem.empty() == std::string(row.problem).empty());
        CHECK(problem.starts_with(row.problem));
    }
}

TEST_CASE("client_id_url_problem: 512 bytes, labels of 63, hosts of 253 [CIMD-2]") {
    const std::string url = "https://app.example/";
    CHECK(problem_of(url + std::string(512 - url.size(), 'a')) == "");
    CHECK(problem_of(url + std::string(513 - url.size(), 'a')) == "is longer than 512 bytes");
    CHECK(problem_of("https://" + std::string(63, 'a') + ".example/c") == "");
    CHECK(problem_of("https://" + std::string(64, 'a') + ".example/c").starts_with("has a host"));
    std::string host;
    while (host.size() < 250) host += "a.";
    CHECK(problem_of("https://" + host + "abc/c") == "");
    CHECK(problem_of("https://" + host + "abcd/c").starts_with("has a host"));
}

TEST_CASE("client_id_url_problem: a port that outbound.ports names, and 443 only if it does [CIMD-2, FETCH-4]") {
    CHECK(problem_of("https://app.example:8443/c", {443, 8443}) == "");
    CHECK(problem_of("https://app.example/c", {8443}).starts_with("has a port"));
}

TEST_CASE(
    "client_id_host_problem: deny, then allow, exact hosts or the end of hosts; never this server [CIMD-3, A28]") {
    struct HostRow {
        const char* when;
        std::vector<std::string> allow;
        std::vector<std::string> deny;
        const char* host;
        const char* problem;
    };
    // clang-format off
    const HostRow rows[] = {
        {"no list: every host", {}, {}, "app.example", ""},
        {"this server", {}, {}, "id.example.org", "is on the host of this server itself"},
        {"this server, although it is allowed", {"id.example.org"}, {}, "id.example.org", "is on the host of this server itself"},
        {"its neighbours", {}, {}, "x.id.example.org", ""},
        {"allowed", {"app.example"}, {}, "app.example", ""},
        {"not allowed", {"app.example"}, {}, "evil.example", "is on a host that clientDocuments.allow does not name"},
        {"below what is allowed", {"app.example"}, {}, "x.app.example", "is on a host that clientDocuments.allow does not name"},
        {"ends like it", {"app.example"}, {}, "evilapp.example", "is on a host that clientDocuments.allow does not name"},
        {"a suffix", {"*.app.example"}, {}, "x.app.example", ""},
        {"a suffix, two labels", {"*.app.example"}, {}, "y.x.app.example", ""},
        {"the suffix itself", {"*.app.example"}, {}, "app.example", "is on a host that clientDocuments.allow does not name"},
        {"ends like a suffix", {"*.app.example"}, {}, "evilapp.example", "is on a host that clientDocuments.allow does not name"},
        {"denied", {}, {"evil.example"}, "evil.example", "is on a host that clientDocuments.deny names"},
        {"denied and allowed", {"evil.example"}, {"*.example"}, "evil.example", "is on a host that clientDocuments.deny names"},
    };
    // clang-format on
    for (const HostRow& row : rows) {
        CAPTURE(row.when);
        const auto settings = settings_with(row.allow, row.deny);
        const auto problem = oauth::client_id_host_problem(settings, row.host);
        CHECK((problem ? problem->text : "") == row.problem);
    }
}

TEST_CASE("is_known_to_operator: registered, or the document's host is named; an empty list names none [CIMD-3]") {
    constexpr const char* kAddress = "https://app.example/cb";
    const auto client = [](const char* id, model::Origin origin) {
        model::Client one;
        one.id = model::ClientId(id);
        one.origin = origin;
        return one;
    };
    const auto published = client("https://app.example/c", model::Origin::document);
    CHECK_FALSE(oauth::is_known_to_operator(settings_with({}, {}), published, kAddress));
    CHECK(oauth::is_known_to_operator(settings_with({"app.example"}, {}), published, kAddress));
    CHECK_FALSE(oauth::is_known_to_operator(settings_with({"*.example"}, {"app.example"}), published, kAddress));
    auto off = settings_with({"app.example"}, {});
    off.client_documents.enabled = false;
    CHECK_FALSE(oauth::is_known_to_operator(off, published, kAddress));
    CHECK(oauth::is_known_to_operator(off, client("app", model::Origin::operator_), kAddress));
}

TEST_CASE(
    "is_known_to_operator: without a token the https host of the address is named, with one it need not [REG-32]") {
    model::Client client;
    client.id = model::ClientId("registered");
    client.origin = model::Origin::dynamic;
    oauth::Settings settings;
    settings.registration.hosts = {"app.example", "*.tools.example"};
    struct Row {
        const char* address;
        bool is_known;
    };
    const Row rows[] = {
        {"https://app.example/cb", true},
        {"https://APP.example:8443/cb", true},
        {"https://a.tools.example/cb", true},
        {"https://tools.example/cb", false},
        {"https://other.example/cb", false},
        {"https://app.example.evil.example/cb", false},
        {"https://evil.example/app.example", false},
        {"http://app.example/cb", false},
        {"http://127.0.0.1/cb", false},
        {"com.example.app:/cb", false},
        {"app.example", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.address);
        client.registered_by.clear();
        CHECK(oauth::is_known_to_operator(settings, client, row.address) == row.is_known);
        client.registered_by = "digest of a token";
        CHECK(oauth::is_known_to_operator(settings, client, row.address));
    }
    client.registered_by.clear();
    settings.client_documents.allow = settings.registration.hosts;
    settings.client_documents.enabled = true;
    settings.registration.hosts.clear();
    CHECK_FALSE(oauth::is_known_to_operator(settings, client, "https://app.example/cb"));
}

TEST_CASE("host_pattern_problem: hosts in lower case, an asterisk only as the first label [CIMD-3]") {
    for (const char* good : {"app.example", "*.app.example", "localhost", "192.0.2.1", "[2001:db8::1]", "*.example"}) {
        CAPTURE(good);
        CHECK_FALSE(oauth::host_pattern_problem(good));
    }
    for (const char* bad : {"", "*", "*.", "App.example", "app.*", "*app.example", "*.*.example", "https://app.example",
                            "app.example/", "app.example:443", "app.example.", "*.192.0.2.1", "a b"}) {
        CAPTURE(bad);
        CHECK(oauth::host_pattern_problem(bad));
    }
}
