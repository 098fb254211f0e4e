// `postern resource`, and the options of clients about their access tokens.
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <utility>

#include "installation.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;

namespace {

constexpr const char* kApi = "https://API.example.org";  // what tokens say, byte for byte

struct Fixture : Installation {
    void add_client(const Words& more = {}) const {
        must(joined({"client", "add", "wiki", "--redirect-uri", "https://app.example.org/cb"}, more));
    }
};

}  // namespace

TEST_CASE("resource: added, listed, shown by any address, changed and removed [RES-2]") {
    const Fixture f;
    const auto added = f.must_json({"resource", "add", kApi, "--name", "Notes", "--scope", "read write",
                                    "--access-token-ttl", "60", "--alias", "HTTPS://old.example.org/v1"});
    CHECK(text_of(added, "resource") == kApi);
    const auto shown = f.must_json({"resource", "show", "https://old.example.org/v1"});
    CHECK(text_of(shown, "resource") == kApi);
    CHECK(text_of(shown, "name") == "Notes");
    CHECK(text_of(shown, "scope") == "read write");
    CHECK(integer_of(shown, "access_token_ttl") == 60);
    CHECK(flag_of(shown, "enabled"));
    CHECK(words_of(shown, "aliases") == "https://old.example.org/v1");
    CHECK(member_of(shown, "created_at").if_integer());
    CHECK(has(f.must({"resource", "list"}), "Notes"));

    f.must({"resource", "set", "https://api.example.org/", "--name", "Files", "--scope", "", "--access-token-ttl", "0",
            "--no-alias"});
    f.must({"resource", "disable", kApi});
    const auto changed = f.must_json({"resource", "show", kApi});
    CHECK(text_of(changed, "name") == "Files");
    CHECK(text_of(changed, "scope").empty());
    CHECK(member_of(changed, "access_token_ttl").is_null());
    CHECK_FALSE(flag_of(changed, "enabled"));
    CHECK(words_of(changed, "aliases").empty());
    f.must({"resource", "enable", kApi});
    f.must({"resource", "set", kApi, "--alias", "https://new.example.org/"});
    CHECK(flag_of(f.must_json({"resource", "show", "https://new.example.org"}), "enabled"));

    const auto listed = f.must_json({"resource", "list"});
    REQUIRE(listed.if_array()->size() == 1);
    CHECK(has(f.refused({"resource", "remove", "https://new.example.org"}), "is an alias of"));
    f.must({"resource", "remove", "https://api.example.org"});
    CHECK(f.must_json({"resource", "list"}).if_array()->empty());
}

TEST_CASE("resource: what cannot be one is refused and nothing is changed [RES-1, RES-2, RES-4]") {
    const Fixture f;
    f.must({"resource", "add", kApi, "--alias", "https://old.example.org/v1"});
    const std::pair<const char*, const char*> rows[] = {
        {"api", "is not an absolute URI"},
        {"/api", "is not an absolute URI"},
        {"https://a.example.org/#x", "has a fragment"},
        {"https://a.example.org/ x", "is not an absolute URI"},
        {"https://a.example.org/\xc3\xa9", "is not an absolute URI"},
        {"https://id.example.org/api", "is this server or lies below it"},
        {"HTTPS://ID.example.org:443", "is this server or lies below it"},
        {"https://api.example.org/", "is that of a resource already"},
        {"https://OLD.example.org/v1", "is that of a resource already"},
    };
    for (const auto& [uri, reason] : rows) {
        CAPTURE(uri);
        CHECK(has(f.refused({"resource", "add", uri}), reason));
    }
    CHECK(has(f.refused({"resource", "add", "https://a.example.org/" + std::string(1003, 'a')}), "1024 bytes"));
    CHECK(has(f.refused({"resource", "add", "https://b.example.org/", "--alias", "api"}), "is not an absolute URI"));
    CHECK(has(f.refused({"resource", "add", "https://b.example.org/", "--alias", "https://api.example.org"}),
              "is that of a resource already"));
    CHECK(has(f.refused({"resource", "add", "https://b.example.org/", "--name", "a\nb"}), "the name must be"));
    CHECK(has(f.refused({"resource", "add", "https://b.example.org/", "--name",
                         "a\xe2\x80\xae"
                         "b"}),
              "the name must be"));
    CHECK(has(f.refused({"resource", "add", "https://b.example.org/", "--scope", "a\"b"}), "the scope must be"));
    CHECK(has(f.refused({"resource", "add", "https://b.example.org/", "--access-token-ttl", "901"}), "accessTokenTTL"));
    CHECK(has(f.refused({"resource", "show", "https://b.example.org/"}), "there is no resource"));
    for (const char* command : {"set", "remove", "enable", "disable", "metadata"}) {
        Words arguments = {"resource", command, "https://b.example.org/"};
        if (std::string(command) == "set") arguments.insert(arguments.end(), {"--name", "x"});
        CHECK(has(f.refused(arguments), "there is no resource"));
    }
    Words many = {"resource", "set", kApi};
    for (int i = 0; i < 17; ++i) many.insert(many.end(), {"--alias", "https://" + std::to_string(i) + ".example.org/"});
    CHECK(has(f.refused(many), "at most 16 aliases"));
    CHECK(f.postern({"resource", "set", kApi}).exit_code == 2);
    CHECK(f.postern({"resource", "set", kApi, "--alias", "https://x.example/", "--no-alias"}).exit_code == 2);
    CHECK(f.must_json({"resource", "list"}).if_array()->size() == 1);
}

TEST_CASE("resource: a note says what an API can do with its tokens [RES-11]") {
    const Fixture f;
    CHECK(has(f.postern({"resource", "add", "https://a.example/"}).err, "--scope names its own scopes"));
    CHECK(has(f.postern({"resource", "add", "https://b.example/", "--scope", "openid read"}).err,
              "can read the user's claims"));
    CHECK(f.postern({"resource", "add", "https://c.example/", "--scope", "read"}).err.empty());
}

TEST_CASE("resource metadata: the document that the API publishes, and where [MCP-13, PRM-1, RFC 9728 §2, §3.1]") {
    const Fixture f;
    f.must({"resource", "add", "https://api.example.org/mcp", "--name", "Notes", "--scope", "read write"});
    CHECK(has(f.noted({"resource", "metadata", "https://api.example.org/mcp"}),
              "https://api.example.org/.well-known/oauth-protected-resource/mcp"));
    const auto document = f.must_json({"resource", "metadata", "https://api.example.org/mcp"});
    CHECK(text_of(document, "resource") == "https://api.example.org/mcp");
    CHECK(words_of(document, "authorization_servers") == "https://id.example.org");
    CHECK(words_of(document, "scopes_supported") == "read write");
    CHECK(words_of(document, "bearer_methods_supported") == "header");
    CHECK(text_of(document, "resource_name") == "Notes");
    f.must({"resource", "add", kApi});
    CHECK(has(f.postern({"resource", "metadata", kApi}).err,
              "https://API.example.org/.well-known/oauth-protected-resource\n"));
}

TEST_CASE("doctor: a client whose default audience was taken away is named [ATP-4]") {
    const Fixture f;
    const auto said = [&](const std::string& part) { return has(f.postern({"doctor"}).out, part); };
    const std::string missing =
        "1 client with tokens of profile rfc9068 and no default resource: a request that names no resource is refused, "
        "first of all \"wiki\"";
    const std::string disabled = "1 client whose default resource is disabled";
    const std::string before = read_file(f.config_file());
    f.reconfigure("defaultResource", kApi);
    f.add_client({"--access-token-profile", "rfc9068"});
    CHECK_FALSE(said("default resource"));
    std::ofstream(f.config_file()) << before;
    CHECK(said(missing));
    f.must({"client", "disable", "wiki"});
    CHECK_FALSE(said("default resource"));
    f.must({"client", "enable", "wiki"});
    f.must({"resource", "add", kApi});
    f.must({"client", "set", "wiki", "--default-resource", kApi});
    CHECK_FALSE(said("default resource"));
    f.must({"resource", "disable", kApi});
    CHECK(said(disabled));
    CHECK_FALSE(said(missing));
}

TEST_CASE(
    "client: profile, groups, default and list of resources; what has no effect or cannot work is said [ATP-4, RES-3, CLAIM-6]") {
    const Fixture f;
    f.add_client();
    const auto shown = [&] { return f.must_json({"client", "show", "wiki"}); };
    CHECK(text_of(shown(), "access_token_profile") == "default");
    CHECK(words_of(shown(), "resources").empty());
    CHECK(has(f.refused({"client", "set", "wiki", "--access-token-profile", "rfc9068"}), "--default-resource"));
    CHECK(has(f.postern({"client", "set", "wiki", "--groups-in-access-token"}).err,
              "do nothing in the profile interface"));
    f.must({"client", "set", "wiki", "--access-token-profile", "rfc9068", "--default-resource", kApi, "--resource",
            kApi, "--resource", "urn:example:api"});
    // An alias is the resource's own URI from then on.
    f.must({"resource", "add", "https://mcp.example.org/mcp", "--alias", "https://mcp.example.org/mcp/"});
    f.must({"client", "set", "wiki", "--resource", "https://mcp.example.org/mcp/", "--default-resource",
            "https://mcp.example.org/mcp/"});
    CHECK(words_of(shown(), "resources") == "https://mcp.example.org/mcp");
    CHECK(text_of(shown(), "default_resource") == "https://mcp.example.org/mcp");
    f.must({"client", "set", "wiki", "--resource", kApi, "--resource", "urn:example:api", "--default-resource", kApi});
    CHECK(text_of(shown(), "access_token_profile") == "rfc9068");
    CHECK(text_of(shown(), "default_resource") == kApi);
    CHECK(words_of(shown(), "resources") == std::string(kApi) + " urn:example:api");
    CHECK(flag_of(shown(), "groups_in_access_token"));
    CHECK(has(f.must({"client", "show", "wiki"}), "urn:example:api"));
    CHECK(has(f.refused({"client", "set", "wiki", "--no-default-resource", "--no-resource"}), "RFC 9068 section 3"));
    CHECK(has(f.refused({"client", "set", "wiki", "--resource", "urn:example:api"}), "none of the client's resources"));
    CHECK(has(f.refused({"client", "set", "wiki", "--resource", kApi, "--resource", "api"}), "is not an absolute URI"));
    CHECK(has(f.refused({"client", "set", "wiki", "--no-resource", "--default-resource", "https://id.example.org/x"}),
              "is this server"));
    CHECK(f.postern({"client", "set", "wiki", "--resource", kApi, "--no-resource"}).exit_code == 2);
    CHECK(f.postern({"client", "set", "wiki", "--default-resource", kApi, "--no-default-resource"}).exit_code == 2);
    CHECK(f.postern({"client", "set", "wiki", "--access-token-profile", "x"}).exit_code == 2);
    f.must({"client", "set", "wiki", "--access-token-profile", "default", "--no-default-resource", "--no-resource",
            "--no-groups-in-access-token"});
    CHECK(text_of(shown(), "access_token_profile") == "default");
    CHECK(text_of(shown(), "default_resource").empty());
    CHECK(words_of(shown(), "resources").empty());
    CHECK_FALSE(flag_of(shown(), "groups_in_access_token"));
}
