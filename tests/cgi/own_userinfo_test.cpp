// A deployer's own UserInfo executable: `getUserClaims` as a C++ callable, built with what `make install` installs.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "json/writer.h"
#include "support/flow.h"
#include "support/process.h"
#include "util/sanitized.h"

namespace {

using namespace postern::test;
namespace fs = std::filesystem;

/// As this suite was compiled, since the archive was.
#ifdef __clang__
constexpr const char* kCompiler = "CXX=clang++";
#else
constexpr const char* kCompiler = "CXX=g++";
#endif
constexpr const char* kFlags = postern::util::kSanitized
                                   ? "CXXFLAGS=-O0 -Wall -Wextra -Werror -fsanitize=address,undefined"
                                   : "CXXFLAGS=-O0 -Wall -Wextra -Werror";

/// An installation below a directory of its own, and the example built with its own Makefile against it, as a deployer
/// would: no path into this source tree.
class Example {
public:
    Example() : directory_(fs::temp_directory_path() / ("postern-own-userinfo." + std::to_string(::getpid()))) {
        fs::remove_all(directory_);
        fs::create_directories(directory_);
        fs::copy("examples/userinfo", directory_ / "own");
        fs::remove(directory_ / "own" / "userinfo");  // somebody's build
        const char* build = std::getenv("POSTERN_BUILD");
        // What is built is installed: `-o all` keeps make from looking whether something is out of date.
        make({"-o", "all", "install", std::string("BUILD=") + (build ? build : "build"),
              "DESTDIR=" + (directory_ / "root").string()});
        make({"-C", (directory_ / "own").string(), kCompiler, kFlags});
    }
    Example(const Example&) = delete;
    Example& operator=(const Example&) = delete;
    ~Example() { fs::remove_all(directory_); }

    fs::path program() const { return directory_ / "own" / "userinfo"; }
    fs::path installed() const { return directory_ / "root" / "usr" / "local"; }

private:
    void make(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "/usr/bin/make");
        const auto result = run(
            arguments, {{"PATH", "/usr/bin:/bin"}, {"PKG_CONFIG_PATH", (installed() / "lib" / "pkgconfig").string()}},
            {}, std::chrono::minutes(3));
        REQUIRE_MESSAGE(result.exit_code == 0, result.out << result.err);
    }
    fs::path directory_;
};

const Example& example() {
    static const Example built;  // once: it takes a few seconds
    return built;
}

/// A deployment whose /userinfo is the example, and Alice's token for it.
struct Site {
    Deployment op;
    UserAgent alice{op};
    fs::path claims = op.directory() / "claims";
    std::string sub = subject_of(op, kAlice);

    Site() { fs::create_directories(claims); }

    std::string token(const std::string& scope) {
        return text_of(obtain_tokens(op, alice, authorization_request().with("scope", scope)), "access_token");
    }
    Answer ask(CgiRequest request) const {
        request.program = example().program();
        request.variables["USERINFO_CLAIMS"] = claims.string();
        return op.cgi("userinfo", request);
    }
    void write(const std::string& text) const { std::ofstream(claims / (sub + ".json")) << text; }
};

TEST_CASE(
    "own userinfo: the callable's claims, filtered by scope, with the token's sub [IF19, IF54, the interface "
    "specification]") {
    Site site;
    site.write(R"({"sub":"root","name":"Alice from a file","email":"alice@file.example","role":"admin","iss":"x",)"
               R"("address":{"country":"NZ"},"updated_at":1})");
    struct Row {
        std::string scope;
        std::string claims;
    };
    const Row rows[] = {
        {"openid", ""},
        {"openid email", R"("email":"alice@file.example",)"},
        {"openid profile", R"("name":"Alice from a file","updated_at":1,)"},
        {"openid address api", R"("address":{"country":"NZ"},)"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.scope);
        const std::string token = site.token(row.scope);
        const Answer answer = site.ask(bearer(token));
        CHECK(answer.status == 200);
        CHECK(answer.body == "{" + row.claims + R"("sub":")" + site.sub + "\"}");
        CHECK(answer.header("Cache-Control") == "no-store");
        CHECK(site.ask(post_form("access_token=" + token)).body == answer.body);
    }
    fs::remove(site.claims / (site.sub + ".json"));
    CHECK(site.ask(bearer(site.token("openid email"))).body == R"({"sub":")" + site.sub + "\"}");
}

TEST_CASE("own userinfo: when the callable fails, no claims are sent [the interface specification]") {
    Site site;
    const std::string token = site.token("openid email");
    const auto check_fails_closed = [&] {
        const Answer answer = site.ask(bearer(token));
        CHECK(answer.verdict() == "500 server_error");
        CHECK(answer.body.find("email") == std::string::npos);
        CHECK(answer.body.find("sub") == std::string::npos);
        CHECK(answer.raw.find(site.claims.string()) == std::string::npos);
        CHECK(answer.log.find(site.sub + ".json") != std::string::npos);  // the operator learns what is wrong
    };
    for (const std::string text :
         {"", "{\"email\":\"a@b.example\"", "[]", "{\"email\":\"a\",\"email\":\"b\"}", "\xff"}) {
        CAPTURE(text);
        site.write(text);
        check_fails_closed();
    }
    fs::remove(site.claims / (site.sub + ".json"));
    fs::create_directory(site.claims / (site.sub + ".json"));
    check_fails_closed();
    fs::remove(site.claims / (site.sub + ".json"));
    site.write(R"({"email":"a@b.example"})");
    CHECK(site.ask(bearer(token)).member("email") == "a@b.example");
}

TEST_CASE("own userinfo: tokens, scopes, methods, CORS and options are those of Postern's own executable") {
    Site site;
    site.write(R"({"email":"a@b.example"})");
    const std::string good = site.token("openid email");
    CgiRequest deletion = bearer(good);
    deletion.method = "DELETE";
    CgiRequest page = bearer(good);
    page.headers.emplace_back("Origin", "https://app.example");
    const std::vector<CgiRequest> requests = {
        {},      bearer("x"), bearer(good + "x"), get_request("access_token=" + good), bearer(site.token("email")),
        deletion};
    for (const CgiRequest& request : requests) {
        const Answer own = site.ask(request);
        const Answer shipped = site.op.cgi("userinfo", request);
        CHECK(own.status >= 400);
        CHECK(own.status == shipped.status);
        CHECK(own.body == shipped.body);
        CHECK(own.header("WWW-Authenticate") == shipped.header("WWW-Authenticate"));
    }
    CHECK(site.ask(page).header("Access-Control-Allow-Origin") == "https://app.example");
    site.op.must({"user", "disable", kAlice});
    CHECK(site.ask(bearer(good)).verdict() == "401 invalid_token");
    auto config = site.op.config();
    config.erase("oidc");
    site.op.write_config(postern::json::write_pretty(config));
    CHECK(site.ask(bearer(good)).status == 404);
}

TEST_CASE("make install: the library, its headers and the flags for them are where pkg-config finds them") {
    const fs::path root = example().installed();
    CHECK(fs::file_size(root / "lib" / "libpostern.a") > 0);
    for (const auto& entry : fs::recursive_directory_iterator("lib")) {
        if (entry.path().extension() != ".h") continue;
        CAPTURE(entry.path());
        CHECK(fs::exists(root / "include" / "postern" / fs::relative(entry.path(), "lib")));
    }
    const auto flags = run({"/usr/bin/pkg-config", "--cflags", "--libs", "postern"},
                           {{"PATH", "/usr/bin:/bin"}, {"PKG_CONFIG_PATH", (root / "lib" / "pkgconfig").string()}});
    CHECK(flags.exit_code == 0);
    CHECK(flags.out.find("-std=c++20") != std::string::npos);
    CHECK(flags.out.find("-lpostern") != std::string::npos);
}

TEST_CASE("make install: the manual pages are where man looks for them") {
    const fs::path pages = example().installed() / "share" / "man";
    for (const char* page : {"man1/postern.1", "man5/postern.json.5", "man8/postern-endpoints.8"})
        CHECK(fs::file_size(pages / page) > 0);
}

}  // namespace
