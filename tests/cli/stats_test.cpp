// `postern stats`: the same numbers for people, programs and Prometheus.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "db/replay_file.h"
#include "preconditions.h"
#include "store/factors.h"
#include "store/grants.h"
#include "store/login_attempts.h"
#include "store/remembered_devices.h"
#include "store/replays.h"
#include "support/deployment.h"
#include "util/text.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

/// Something of everything.
void put_everything(const Installation& installation) {
    installation.reconfigure("login", json::Object{{"rememberDevice", 86400}});
    put_sample(installation);
    put_session(installation, "ada 1", "ada");
    put_consent(installation, "wiki", "ada", "openid");
    put_user(installation, "carol");
    installation.must({"user", "disable", "carol"});
    put_client(installation, "old");
    installation.must({"client", "disable", "old"});
    installation.must({"client", "set", "mail", "--allow-user", "ada"});
    installation.reconfigure("paths", json::Object{{"gate", "/gate"}});
    installation.must({"site", "add", "handbook", "--url", "https://handbook.example.net/"});
    write(installation, [&](db::Transaction& transaction) {
        store::end_grant(transaction, model::GrantId("ada mail"), given_at() - util::Seconds{1});
        store::remember_device(transaction, {.token_hash = model::ValueHash("device"),
                                             .id = "device",
                                             .subject = model::Subject("sub of ada"),
                                             .agent = "Firefox on Linux",
                                             .created_at = given_at(),
                                             .last_used_at = given_at(),
                                             .expires_at = given_at() + kLonger});
        for (int i = 0; i < 12; ++i) {
            for (const char* key : {"pair:x", "user:x", "address:x"})
                store::count_failures(transaction, {key}, given_at(), kLonger);
        }
    });
}

/// Two uses of a kind; the marks are in files of their own, or in the server's table.
void put_marks(const Installation& installation, store::ReplayKind kind, const char* file) {
    constexpr std::int64_t kRoom = 1 << 20;
    db::Database marks =
        is_on_postgresql()
            ? installation.open()
            : db::open_replay_file((installation.database_file().parent_path() / "replays" / file).string(), kRoom);
    for (const char* jti : {"1", "2"}) {
        const store::Mark mark = store::mark_of("app", jti, given_at() + kLonger);
        REQUIRE(store::mark_used(marks, kind, mark, kRoom, given_at()) == store::Marked::first);
    }
}

std::int64_t at(const json::Value& value, const char* member, const char* inner = nullptr) {
    const auto* found =
        inner ? member_of(member_of(value, member), inner).if_integer() : member_of(value, member).if_integer();
    REQUIRE(found != nullptr);
    return *found;
}

using Samples = std::map<std::string, std::string>;

/// Reads the text exposition format 0.0.4 strictly; fails the test where it is broken.
Samples parse_metrics(const std::string& text) {
    static const std::regex kComment("# (HELP|TYPE) ([a-z_]+) (.+)");
    static const std::regex kSample(
        R"re(([a-z_]+)(\{[a-z_]+="([^"\\\n]|\\["\\n])*"(,[a-z_]+="([^"\\\n]|\\["\\n])*")*\})? (-?[0-9]+))re");
    Samples samples;
    std::set<std::string> families;
    std::string family;
    std::string kind;
    REQUIRE(text.ends_with('\n'));
    for (const auto line : util::split(std::string_view(text).substr(0, text.size() - 1), '\n')) {
        const std::string copy(line);
        CAPTURE(copy);
        std::smatch match;
        if (std::regex_match(copy, match, kComment)) {
            if (match[1] == "HELP") {
                CHECK(families.insert(match[2]).second);  // all lines of a metric stand together
                family = match[2];
            } else {
                CHECK(kind == "HELP");
                CHECK(match[2] == family);
                CHECK(match[3] == "gauge");
            }
            kind = match[1];
            continue;
        }
        REQUIRE(std::regex_match(copy, match, kSample));
        CHECK(match[1] == family);
        CHECK(family.starts_with("postern_"));
        kind = "sample";
        CHECK(samples.emplace(match[1].str() + match[2].str(), match[6]).second);
    }
    return samples;
}

}  // namespace

TEST_CASE("stats: counts what is there and works, apart from what is not, the same for Prometheus and its parser") {
    const Installation installation;
    put_everything(installation);
    const auto stats = installation.must_json({"stats"});
    auto samples = parse_metrics(installation.must({"stats", "--prometheus"}));
    struct Row {
        const char* member;
        const char* inner;
        const char* sample;
        std::int64_t value;
    };
    const Row rows[] = {
        {"schema_version", nullptr, "postern_schema_version", db::kSchemaVersion},
        {"clients", "enabled", "postern_clients{state=\"enabled\"}", 3},
        {"clients", "disabled", "postern_clients{state=\"disabled\"}", 1},
        {"dynamic_clients", nullptr, "postern_dynamic_clients{token=\"yes\"}", 0},
        {"dynamic_clients_without_token", nullptr, "postern_dynamic_clients{token=\"no\"}", 0},
        {"sites", "enabled", "postern_sites{state=\"enabled\"}", 1},
        {"sites", "disabled", "postern_sites{state=\"disabled\"}", 0},
        {"restricted_clients", nullptr, "postern_restricted_clients", 1},
        {"users", "enabled", "postern_users{state=\"enabled\"}", 2},
        {"users", "disabled", "postern_users{state=\"disabled\"}", 1},
        {"second_factors", "app", "postern_second_factors{state=\"app\"}", 0},
        {"second_factors", "recovery_codes", "postern_second_factors{state=\"recovery_codes\"}", 0},
        {"second_factors", "passkeys", "postern_second_factors{state=\"passkeys\"}", 0},
        {"second_factors", "missing", "postern_second_factors{state=\"missing\"}", 0},
        {"remembered_devices", nullptr, "postern_remembered_devices", 1},
        {"sessions", nullptr, "postern_sessions", 1},
        {"consents", nullptr, "postern_consents", 1},
        {"grants", nullptr, "postern_grants", 3},
        {"tokens", "authorization_code", "postern_tokens{kind=\"authorization_code\"}", 3},
        {"tokens", "access_token", "postern_tokens{kind=\"access_token\"}", 3},
        {"tokens", "refresh_token", "postern_tokens{kind=\"refresh_token\"}", 3},
        {"logins", "failed", "postern_failed_logins", 12},
        {"logins", "throttled", "postern_throttled_logins", 1},
        {"purgeable", "grants", "postern_purgeable_rows{table=\"grants\"}", 1},
        {"purgeable", "refresh_tokens", "postern_purgeable_rows{table=\"refresh_tokens\"}", 1},
        {"purgeable", "sessions", "postern_purgeable_rows{table=\"sessions\"}", 0},
        {"replays", "assertions", "postern_replays{kind=\"assertions\"}", 0},
        {"replays", "proofs", "postern_replays{kind=\"proofs\"}", 0},
        {"replays", "proofs_at_userinfo", "postern_replays{kind=\"proofs_at_userinfo\"}", 0},
        {"bytes", "database", "postern_file_size_bytes{file=\"database\"}", at(stats, "bytes", "database")},
        {"bytes", "log", "postern_file_size_bytes{file=\"log\"}", at(stats, "bytes", "log")},
    };
    for (const auto& row : rows) {
        CAPTURE(row.sample);
        CHECK(at(stats, row.member, row.inner) == row.value);
        CHECK(samples[row.sample] == std::to_string(row.value));
    }
    if (!is_on_postgresql()) {
        const fs::path file = installation.database_file();
        CHECK(at(stats, "bytes", "database") == static_cast<std::int64_t>(fs::file_size(file)));
        CHECK(at(stats, "bytes", "log") == static_cast<std::int64_t>(fs::file_size(file.string() + "-wal")));
    }
    const auto& keys = *member_of(stats, "keys").if_array();
    REQUIRE(keys.size() == 2);
    for (const auto& key : keys) {
        CHECK(text_of(key, "state") == "active");
        CHECK(at(key, "signs_from") <= util::to_epoch(given_at()));
        const std::string sample = "postern_key_signs_from_timestamp_seconds{kid=\"" + text_of(key, "kid") +
                                   "\",alg=\"" + text_of(key, "alg") + "\",state=\"active\"}";
        CHECK(samples[sample] == std::to_string(at(key, "signs_from")));
    }
    CHECK(installation.postern({"stats", "--prometheus", "--json"}).exit_code == 2);

    const std::string text = installation.must({"stats"});
    CHECK(std::regex_search(text, std::regex("sites +1 enabled, 0 disabled\n")));
    CHECK(std::regex_search(text, std::regex("restricted clients +1\n")));
    CHECK(std::regex_search(text, std::regex("remembered devices +1\n")));
    for (const char* part : {"2 enabled, 1 disabled", "12 in the last 900 seconds", "schema version 5", "key ES256",
                             "key RS256", "signs since"})
        CHECK_MESSAGE(has(text, part), part);

    const auto deleted = installation.must_json({"purge"});
    for (const auto& entry : member_of(stats, "purgeable").if_object()->members()) {
        CAPTURE(entry.first);
        CHECK(at(deleted, entry.first.c_str()) == *entry.second.if_integer());
    }
    const auto after = installation.must_json({"stats"});
    for (const auto& [table, rows_left] : member_of(after, "purgeable").if_object()->members())
        CHECK(*rows_left.if_integer() == 0);
    installation.reconfigure("login", json::Object{{"rememberDevice", 0}});
    CHECK(at(installation.must_json({"stats"}), "remembered_devices") == 0);
}

TEST_CASE("stats: counts users by second factor, and those who must have one and have none [POLICY-1]") {
    const Installation installation;
    const model::Subject app = put_app(installation, "app");
    const model::Subject codes(put_user(installation, "codes"));
    const model::Subject used(put_user(installation, "used"));
    put_user(installation, "marked");
    put_user(installation, "member");
    put_user(installation, "free");
    const model::Subject key(put_user(installation, "key"));
    const model::Subject suspended(put_user(installation, "suspended"));
    const model::Subject former(put_user(installation, "former"));
    const model::Subject gone = put_app(installation, "gone");
    put_user(installation, "disabled");
    write(installation, [&](db::Transaction& transaction) {
        for (const auto& subject : {app, codes, used, gone})
            store::replace_recovery_codes(transaction, subject, {"one", "two"}, given_at());
        for (const char* code : {"one", "two"}) store::spend_recovery_code(transaction, used, code, given_at());
        store::spend_recovery_code(transaction, codes, "one", given_at());
        put_passkey(transaction, key, "one");
        put_passkey(transaction, key, "two");
        put_passkey(transaction, suspended, "three");
        store::suspend_passkey(transaction, "three", given_at());
        put_passkey(transaction, former, "four", "former.example");
    });
    installation.must({"group", "add", "staff"});
    installation.must({"group", "set", "staff", "--second-factor", "required"});
    for (const char* user : {"member", "codes"}) installation.must({"group", "member", "add", "staff", user});
    for (const char* user : {"marked", "app", "disabled", "used", "key", "suspended", "former"})
        installation.must({"user", "set", user, "--second-factor", "required"});
    for (const char* user : {"gone", "disabled"}) installation.must({"user", "disable", user});
    struct Row {
        const char* setting;
        std::int64_t missing;
    };
    for (const Row& row : {Row{"offered", 5}, Row{"required", 6}, Row{"off", 0}}) {
        CAPTURE(row.setting);
        installation.reconfigure("login", json::Object{{"secondFactor", row.setting}});
        const auto stats = installation.must_json({"stats"});
        CHECK(at(stats, "second_factors", "app") == 1);
        CHECK(at(stats, "second_factors", "recovery_codes") == 2);
        CHECK(at(stats, "second_factors", "passkeys") == 1);
        CHECK(at(stats, "second_factors", "missing") == row.missing);
        CHECK(has(installation.must({"stats"}), "1 with an app, 2 with recovery codes, 1 with a passkey, " +
                                                    std::to_string(row.missing) + " required and missing"));
        CHECK(
            parse_metrics(installation.must({"stats", "--prometheus"}))["postern_second_factors{state=\"missing\"}"] ==
            std::to_string(row.missing));
    }
}

TEST_CASE("stats: what has quotation marks and backslashes in its name is escaped for Prometheus") {
    const Installation installation;
    const auto keys = installation.must_json({"key", "list"});
    const std::string kid = text_of(keys.if_array()->front(), "kid");
    const fs::path published = installation.keys_directory() / "jwks.json";
    std::string text = read_file(published);
    text.replace(text.find(kid), kid.size(), R"(a\"b\\c)");  // as JSON spells it
    std::ofstream(published) << text;
    for (const auto& entry : fs::directory_iterator(installation.keys_directory())) {
        std::string name = entry.path().filename();
        if (!has(name, kid)) continue;
        fs::rename(entry.path(), installation.keys_directory() / name.replace(name.find(kid), kid.size(), R"(a"b\c)"));
    }
    const std::string metrics = installation.must({"stats", "--prometheus"});
    CHECK(has(metrics, R"(kid="a\"b\\c")"));
    CHECK(parse_metrics(metrics).size() > 20);
}

TEST_CASE("stats: writes nothing, and does without the keys when it may not look at them") {
    const Installation installation;
    const auto before = fs::last_write_time(installation.database_file());
    fs::remove(installation.keys_directory() / "jwks.json");
    const auto stats = installation.must_json({"stats"});
    CHECK(member_of(stats, "keys").if_array()->empty());
    CHECK(fs::last_write_time(installation.database_file()) == before);
    CHECK(has(installation.postern({"stats"}).err, "jwks.json"));
}

TEST_CASE("stats: it counts uses that are remembered by their kind, and makes no file to do so [JTI-1, JTI-2]") {
    const Installation installation;
    installation.reconfigure("clientAssertions", true);
    installation.reconfigure("dpop", "allowed");
    const auto counted = [&](const char* kind) { return at(installation.must_json({"stats"}), "replays", kind); };
    CHECK(counted("assertions") == 0);
    if (!is_on_postgresql()) CHECK_FALSE(fs::exists(installation.database_file().parent_path() / "replays"));
    put_marks(installation, store::ReplayKind::assertion, "assertions");
    put_marks(installation, store::ReplayKind::proof_at_userinfo, "userinfo");
    CHECK(counted("assertions") == 2);
    CHECK(counted("proofs") == 0);
    CHECK(counted("proofs_at_userinfo") == 2);
    const std::string text = installation.must({"stats"});
    CHECK(has(text, "used proofs at UserInfo"));
}
