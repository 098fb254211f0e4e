// `--introspection-claim`: what an API is told of users at introspection, as it is set, shown, previewed and doubted.
#include <doctest/doctest.h>

#include <string>

#include "installation.h"

using namespace postern;
using namespace postern::test;

namespace {

struct Fixture : Installation {
    Fixture() { must({"client", "add", "imap", "--grant", "client_credentials", "--scope", ""}); }

    std::string claims() const { return words_of(must_json({"client", "show", "imap"}), "introspection_claims"); }
    std::string doctor() const { return postern({"doctor"}).out; }
    void add_user(const std::string& name, const std::string& email) const {
        must({"user", "add", name, "--claim", "email=" + email, "--password-stdin"}, "four words in a row\n");
    }
};

}  // namespace

TEST_CASE("client set --introspection-claim: replaces the list, is shown, and is undone [RFC 7662 §2.2k]") {
    const Fixture f;
    CHECK(f.claims().empty());
    f.must({"client", "set", "imap", "--introspection-claim", "email", "--introspection-claim", "groups"});
    CHECK(f.claims() == "email groups");
    CHECK(has(f.must({"client", "show", "imap"}), "told at introspection"));
    f.must({"client", "set", "imap", "--name", "IMAP"});
    CHECK(f.claims() == "email groups");
    f.must({"client", "set", "imap", "--introspection-claim", "email"});
    CHECK(f.claims() == "email");
    f.must({"client", "set", "imap", "--no-introspection-claim"});
    CHECK(f.claims().empty());
    f.must({"client", "add", "smtp", "--grant", "client_credentials", "--scope", "", "--introspection-claim", "email"});
    CHECK(words_of(f.must_json({"client", "show", "smtp"}), "introspection_claims") == "email");
}

TEST_CASE("client set --introspection-claim: refused for what no scope releases, and for a client without a secret") {
    const Fixture f;
    for (const char* claim : {"mail", "sub", "username", "active", ""}) {
        CAPTURE(claim);
        f.refused({"client", "set", "imap", "--introspection-claim", claim});
    }
    f.refused({"client", "add", "page", "--public", "--redirect-uri", "https://app.example.org/",
               "--introspection-claim", "email"});
    CHECK(
        f.postern({"client", "set", "imap", "--introspection-claim", "email", "--no-introspection-claim"}).exit_code ==
        2);
    CHECK(f.claims().empty());
}

TEST_CASE("token preview --api: introspection as that API is told it [CLAIM-5, RFC 7662 §2.2k]") {
    const Fixture f;
    f.add_user("ada", "ada@example.org");
    f.must({"client", "add", "mail", "--redirect-uri", "https://mail.example.org/cb", "--scope", "openid email"});
    f.must({"client", "set", "imap", "--introspection-claim", "email"});
    const auto told = [&](const std::string& scope, Words more) {
        Words arguments = {"token", "preview", "--client", "mail", "--user", "ada", "--scope", scope};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return text_of(member_of(f.must_json(arguments), "introspection"), "email");
    };
    CHECK(told("openid email", {}).empty());
    CHECK(told("openid email", {"--api", "imap"}) == "ada@example.org");
    CHECK(told("openid", {"--api", "imap"}).empty());
    CHECK(told("openid email", {"--api", "mail"}).empty());
    f.refused({"token", "preview", "--client", "mail", "--user", "ada", "--scope", "openid", "--api", "nobody"});
}

TEST_CASE("doctor: warns of claims for an API that users choose, share or that no scope releases any more") {
    const Fixture f;
    f.reconfigure("scopeClaims", json::Object{{"box", json::Array{"mailbox"}}});
    f.reconfigure("account", json::Object{{"editableClaims", json::Array{"nickname"}}});
    f.add_user("ada", "shared@example.org");
    f.add_user("bob", "Shared@example.org");
    f.add_user("cy", "cy@example.org");
    const auto told = [&](const char* claim) {
        f.must({"client", "set", "imap", "--introspection-claim", claim});
        return f.doctor();
    };
    const std::string shared = "such as \"ada\" and \"bob\", are one person to it (1 in all)";
    const std::string chosen = "is told \"nickname\" at introspection, which account.editableClaims lets users change";
    const std::string lost = "is to be told \"mailbox\" at introspection, and no scope releases this claim";
    CHECK(has(told("nickname"), chosen));
    CHECK(has(f.doctor(), "`postern client set --no-introspection-claim imap`"));
    CHECK_FALSE(has(told("name"), chosen));
    CHECK_FALSE(has(told("mailbox"), lost));
    f.reconfigure("scopeClaims", json::Object{});
    CHECK(has(f.doctor(), lost));
    CHECK_FALSE(has(f.doctor(), shared));
    CHECK(has(told("email"), shared));
    f.must({"user", "set", "bob", "--claim", "email=bob@example.org"});
    CHECK_FALSE(has(f.doctor(), "are one person to it"));
    f.must({"client", "set", "imap", "--no-introspection-claim"});
    CHECK_FALSE(has(f.doctor(), "at introspection"));
}
