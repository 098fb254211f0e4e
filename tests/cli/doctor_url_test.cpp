// `postern doctor --url`: how the server is asked, and what is made of answers that no web server on a free port gives.
// The answers of real ones are asked for in tests/servers/doctor.test.mjs.
#include <doctest/doctest.h>

#include <filesystem>

#include "installation.h"
#include "json/reader.h"
#include "support/deployment.h"
#include "util/text.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kAnswered = "printf 'HTTP/1.1 404 Not Found\\r\\nServer: nginx\\r\\n\\r\\n'";

/// A directory with a curl of our own: shell code for plain http, for old TLS and for everything else.
class Curl {
public:
    Curl(const Installation& installation, const std::string& plain, const std::string& old_tls,
         const std::string& other)
        : installation_(installation), directory_(installation.directory() / "bin") {
        fs::create_directory(directory_);
        write_file(directory_ / "curl", "#!/bin/sh\noptions=$(/bin/cat)\nprintf '%s\\n' \"$*\" >> " + log("argv") +
                                            "\nprintf '%s\\n' \"$options\" >> " + log("options") +
                                            "\ncase $options in\n*'url = \"http://'*) " + plain + ";;\n*tls-max*) " +
                                            old_tls + ";;\n*) " + other + ";;\nesac\n");
        fs::permissions(directory_ / "curl", fs::perms(0755));
    }

    std::string log(const std::string& name) const { return (directory_ / name).string(); }

    ProcessResult doctor(Words more = {}) const {
        return run(joined({postern_program(), "doctor", "--url", "--json"}, more),
                   {{"PATH", directory_.string()}, {"POSTERN_CONFIG", installation_.config_file().string()}});
    }

private:
    const Installation& installation_;
    fs::path directory_;
};

/// "state: detail fix" of the first finding of that name, "" without one.
std::string found(const ProcessResult& result, std::string_view check) {
    const auto value = json::parse(result.out);
    REQUIRE(value);
    REQUIRE(value->if_array());
    for (const json::Value& finding : *value->if_array())
        if (text_of(finding, "check") == check)
            return text_of(finding, "state") + ": " + text_of(finding, "detail") + " " + text_of(finding, "fix");
    return "";
}

}  // namespace

TEST_CASE("doctor --url: without the program curl it is an error that says how to get it") {
    const Installation installation;
    const Curl curl(installation, "exit 7", "exit 35", kAnswered);
    fs::remove(installation.directory() / "bin" / "curl");
    const ProcessResult result = curl.doctor();
    CHECK(result.exit_code == 1);
    const std::string finding = found(result, "connection");
    CHECK(finding.starts_with("error: "));
    CHECK(has(finding, "apt install curl"));
    CHECK(found(result, "keys").starts_with("ok: "));
}

TEST_CASE("doctor --url: a server that cannot be asked is one finding with its fix, and nothing more is asked") {
    struct Row {
        const char* curl;
        const char* check;
        const char* fix;
    };
    const Row rows[] = {
        {"echo 'curl: (6) Could not resolve host: x' >&2; exit 6", "connection", "--connect"},
        {"echo 'curl: (7) Failed to connect' >&2; exit 7", "connection", "start the web server"},
        {"echo 'curl: (28) Connection timed out' >&2; exit 28", "connection", "firewall"},
        {"echo 'curl: (35) wrong version number' >&2; exit 35", "tls", "SSLEngine on"},
        {"echo 'curl: (52) Empty reply from server' >&2; exit 52", "connection", "error log"},
        {"echo 'curl: (60) SSL certificate problem: certificate has expired' >&2; exit 60", "certificate", "renew"},
        {"echo 'curl: (60) SSL certificate problem: certificate is not yet valid' >&2; exit 60", "certificate",
         "clock"},
        {"echo 'curl: (60) SSL certificate problem: self-signed certificate' >&2; exit 60", "certificate", "--ca"},
        {"echo 'curl: (60) SSL certificate problem: unable to get local issuer certificate' >&2; exit 60",
         "certificate", "fullchain.pem"},
        {"echo 'curl: (60) SSL: no alternative certificate subject name matches' >&2; exit 60", "certificate",
         "virtual host"},
        {"echo 'curl: (77) error setting certificate file' >&2; exit 77", "certificate", "--ca"},
        {"kill -9 $$", "connection", "error log"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.curl);
        const Installation installation;
        const Curl curl(installation, "exit 7", "exit 35", row.curl);
        const ProcessResult result = curl.doctor();
        CHECK(result.exit_code == 1);
        const std::string finding = found(result, row.check);
        CHECK(finding.starts_with("error: "));
        CHECK(has(finding, row.fix));
        CHECK(util::split(read_file(curl.log("argv")), '\n').size() == 2);  // one line, and nothing behind it
    }
}

TEST_CASE("doctor --url: what answers plain http next to https must lead there [RFC 9700 §2.6]") {
    struct Row {
        const char* curl;
        const char* finding;
    };
    const Row rows[] = {
        {"exit 7", "ok: closed"},
        {"printf 'HTTP/1.1 301 Moved\\r\\nLocation: https://x.example/\\r\\n\\r\\n'", "ok: redirects to https"},
        {"printf 'HTTP/1.1 302 Found\\r\\nLocation: http://x.example/\\r\\n\\r\\n'", "warning: "},
        {"printf 'HTTP/1.1 404 Not Found\\r\\n\\r\\n'", "warning: "},
        {"printf 'HTTP/1.1 100 Continue\\r\\n\\r\\nHTTP/1.1 200 OK\\r\\n\\r\\n{}'", "error: "},
    };
    for (const Row& row : rows) {
        CAPTURE(row.curl);
        const Installation installation;
        const std::string finding = found(Curl(installation, row.curl, "exit 35", kAnswered).doctor(), "plain http");
        CHECK(finding.starts_with(row.finding));
        if (!finding.starts_with("ok")) CHECK(has(finding, "nginx: `return 301 https://"));
    }
    // Debian's default site, which has no name of its own, takes the machine's, and its file is read first.
    const Installation installation;
    const Curl apache(installation, rows[3].curl, "exit 35",
                      "printf 'HTTP/1.1 404 Not Found\\r\\nServer: Apache\\r\\n\\r\\n'");
    CHECK(has(found(apache.doctor(), "plain http"), "`a2dissite 000-default`"));
}

TEST_CASE("doctor --url: with mtls, a web server that resumes TLS sessions of other hosts is a warning [MTLS-14]") {
    struct Row {
        std::string software;
        std::string state;
        std::string part;
    };
    const Row rows[] = {
        {"Apache/2.4.63 (Debian)", "warning: ", "CVE-2025-23048"},
        {"Apache/2.4.64 (Debian)", "ok: ", "Apache/2.4.64 (Debian) "},
        {"Apache/2.4.34", "ok: ", "Apache/2.4.34 "},
        {"Apache", "ok: ", "the header Server tells none"},
        {"nginx/1.26.2", "warning: ", "CVE-2025-23419"},
        {"nginx/1.26.3", "ok: ", "nginx/1.26.3 "},
        {"nginx/1.27.3", "warning: ", "CVE-2025-23419"},
        {"nginx/1.27.4", "ok: ", "nginx/1.27.4 "},
        {"nginx/1.28.0", "ok: ", "nginx/1.28.0 "},
        {"nginx", "ok: ", "the header Server tells none"},
        {"lighttpd/1.4.69", "ok: ", "the header Server tells none"},
    };
    const auto finding_of = [](const std::string& software) {
        Installation installation;
        const Curl site(installation, "exit 7", "exit 35",
                        "printf 'HTTP/1.1 404 Not Found\\r\\nServer: " + software + "\\r\\n\\r\\n'");
        CHECK(found(site.doctor(), "web server version").empty());
        installation.reconfigure("mtls", json::Object{{"baseUrl", "https://mtls.id.example.org"}});
        return found(site.doctor(), "web server version");
    };
    for (const Row& row : rows) {
        CAPTURE(row.software);
        const std::string finding = finding_of(row.software);
        CAPTURE(finding);
        CHECK(finding.starts_with(row.state + (row.state == "ok: " ? "" : row.software + " may resume a TLS session")));
        CHECK(has(finding, row.part));
        CHECK(has(finding, "CVE-") == row.part.starts_with("CVE-"));
    }
    // The packages of this machine, which correct old versions, under their own.
    for (const auto& [software, package] : {std::pair("Apache/", "apache2"), std::pair("nginx/", "nginx")}) {
        const std::string changelog = "/usr/share/doc/" + std::string(package) + "/changelog.Debian.gz";
        const std::string latest =
            run({"/usr/bin/zgrep", "-m1", "-o", "([0-9.]*-", changelog}, {{"PATH", "/usr/bin:/bin"}}).out;
        if (latest.size() < 3) continue;  // not installed
        const std::string version = software + latest.substr(1, latest.find('-') - 1);
        CHECK(finding_of(version).starts_with("ok: " + version));
    }
}

TEST_CASE("doctor --url: asks within bounds, without credentials, and with no secret on the command line") {
    const Installation installation;
    const Curl curl(installation, "exit 7", "exit 35", kAnswered);
    curl.doctor({"--connect", "127.0.0.1:8443", "--ca", "/tmp/my \"ca\".pem"});
    const std::string arguments = read_file(curl.log("argv"));
    for (const std::string_view line : util::split(arguments, '\n'))
        CHECK((line.empty() || line == "--disable --config -"));
    const std::string options = read_file(curl.log("options"));
    CHECK(has(options, "connect-to = \"::127.0.0.1:8443\"\n"));
    CHECK(has(options, R"(cacert = "/tmp/my \"ca\".pem")"));
    CHECK(has(options, "max-time = \""));
    CHECK(has(options, "noproxy = \"*\"\n"));
    CHECK_FALSE(has(options, "location"));
    CHECK_FALSE(has(options, "Cookie"));
    CHECK_FALSE(has(options, "password="));
}

TEST_CASE("doctor --url: an answer without end is cut off") {
    const Installation installation;
    const Curl curl(installation, "exit 7", "exit 35", "exec /bin/cat /dev/zero");
    const ProcessResult result = curl.doctor();
    CHECK(result.exit_code == 1);
    CHECK(found(result, "connection").starts_with("error: "));
}

TEST_CASE("doctor: --ca and --connect belong to --url, and --connect is a place") {
    const Installation installation;
    for (const Words& words : {Words{"doctor", "--ca", "/x"},
                               {"doctor", "--connect", "h:1"},
                               {"doctor", "--url", "--connect", "h"},
                               {"doctor", "--url", "--connect", "h:1\nurl = \"http://x\""}}) {
        CAPTURE(words.back());
        CHECK(installation.postern(words).exit_code == 2);
    }
}

TEST_CASE("doctor --url: a former host must let its passkeys be used here [WEBAUTHN-27, WebAuthn §5.11]") {
    struct Row {
        const char* when;
        const char* rp_id;
        std::string answer;
        const char* finding;
    };
    const auto document = [](const std::string& type, const std::string& body) {
        return "printf 'HTTP/1.1 200 OK\\r\\nContent-Type: " + type + "\\r\\n\\r\\n" + body + "'";
    };
    const std::string right = R"({"origins":["https://other.example","https://id.example.org"]})";
    const Row rows[] = {
        {"right", "id.old.example", document("application/json", right), "ok: "},
        {"the issuer's own host", "id.example.org", document("text/html", "no"), ""},
        {"not there", "id.old.example", kAnswered, "error: id.old.example/.well-known/webauthn answers 404"},
        {"another origin", "id.old.example",
         document("application/json", R"({"origins":["https://id.example.org.evil"]})"),
         "does not list https://id.example.org"},
        {"no JSON", "id.old.example", document("application/json", "https://id.example.org"), "does not list"},
        {"no list", "id.old.example", document("application/json", R"({"origins":"https://id.example.org"})"),
         "does not list"},
        {"another type", "id.old.example", document("text/plain", right), "is not sent as application/json"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Installation installation;
        installation.reconfigure("login", json::Object{{"rpId", row.rp_id}});
        const Curl curl(installation, "exit 7", "exit 35",
                        "case $options in *.well-known/webauthn*) " + row.answer + ";; *) " + kAnswered + ";; esac");
        const std::string finding = found(curl.doctor(), "related origin");
        CHECK_MESSAGE(has(finding, row.finding), finding);
        CHECK(finding.empty() == (*row.finding == '\0'));
    }
}
