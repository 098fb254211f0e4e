// The table of operations, and what a refusal must look like.
#include "faults/operations.h"

#include <sqlite3.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "support/html.h"

namespace postern::test {
namespace {

constexpr const char* kNewPassword = "four words in a row";
constexpr std::chrono::hours kLongAfter{24 * 90};

Query token_form(const std::string& token) { return {{"token", token}}; }
Query refresh_form(const std::string& token) { return {{"grant_type", "refresh_token"}, {"refresh_token", token}}; }

bool is_ok(const Answer& answer) { return answer.status == 200; }
bool has_tokens(const Answer& answer) { return answer.status == 200 && !answer.member("access_token").empty(); }
bool is_invalid_grant(const Answer& answer) { return answer.verdict() == "400 invalid_grant"; }
bool says(const Answer& answer, bool active) {
    return answer.status == 200 && (answer.body.find("\"active\":true") != std::string::npos) == active;
}
/// A redirect to an endpoint of ours.
bool goes_on(const Answer& answer) {
    return answer.status == 303 && answer.location().find("resume=") != std::string::npos;
}
bool brings_code(const Answer& answer) {
    return answer.status == 303 && answer.location().find("code=") != std::string::npos;
}
bool sets_session(const Answer& answer) { return goes_on(answer) && answer.all("Set-Cookie").size() == 1; }

Answer introspect(SampleInstallation& installation, const std::string& token) {
    return as_client(installation.op, "introspect", token_form(token), kOther);
}
bool is_dead(SampleInstallation& installation, const std::string& token) {
    return says(introspect(installation, token), false);
}
bool is_family_dead(SampleInstallation& installation, const SampleInstallation::Held& held) {
    return is_dead(installation, held.access_token) && is_dead(installation, held.refresh_token) &&
           userinfo(installation.op, held.access_token).status == 401;
}
bool is_signed_out(SampleInstallation& installation) {
    UserAgent alice = installation.alice;
    return alice.authorize(authorization_request().with("prompt", "none")).verdict() == "login_required";
}

Answer submit(UserAgent browser, const Landing& page, const std::string& button,
              const std::map<std::string, std::string>& typed = {}) {
    const auto mark = page.url.find('?');
    return browser.send(page.url.substr(0, mark), browser.form_of(page, button, typed));
}

Answer log_in(SampleInstallation& installation, const std::string& password, const std::string& user = kAlice) {
    return submit(installation.visitor, installation.login, "login", {{"username", user}, {"password", password}});
}

Answer authorize(UserAgent browser, const SampleInstallation& installation, const Query& request) {
    return browser.fetch(installation.op.url("authorize") + "?" + request.text());
}

/// A guess more than allowed, as far as the counters know.
void exhaust_patience(SampleInstallation& installation) {
    log_in(installation, "a wrong guess");
    sqlite3* connection = nullptr;
    sqlite3_open(installation.op.database_file().c_str(), &connection);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    const int result =
        sqlite3_exec(connection, "UPDATE login_attempts SET failures = 100000", nullptr, nullptr, nullptr);
    sqlite3_close(connection);
    if (result != SQLITE_OK) throw std::runtime_error("the counters could not be set");
}

void answer_yes(SampleInstallation& installation) { submit(installation.undecided, installation.consent, "approve"); }

Answer purge_later(SampleInstallation& installation) {
    installation.op.advance(kLongAfter);
    const Answer answer = command(installation, {"purge"});
    installation.op.advance(-kLongAfter);
    return answer;
}

Answer back_up(SampleInstallation& installation) {
    const auto target = installation.op.directory() / "copy.db";
    std::filesystem::remove(target);
    Answer answer = command(installation, {"backup", target.string()});
    const bool there = std::filesystem::exists(target);
    if (there != is_ok(answer)) answer.status = 500;  // a copy that was not promised, or a promise without a copy
    if (there && read_contents(target.string()).rows != read_contents(installation.op.database_file().string()).rows)
        answer.status = 500;
    return answer;
}

using Words = std::vector<std::string>;

Operation by_command(Effect effect, const Words& words, const std::function<bool(SampleInstallation&)>& holds,
                     const std::string& input = {}, int commits = 1) {
    std::string name = "postern";
    for (const std::string& word : words) name += " " + word;
    return {
        name,  effect,  commits, [=](SampleInstallation& installation) { return command(installation, words, input); },
        is_ok, nullptr, holds,   {}};
}

/// What Bob enters on the second page.
Answer verify(SampleInstallation& installation, const std::string& code) {
    return submit(installation.half_way, installation.second_step, "verify", {{"code", code}});
}
/// The page again: that was no code of Bob's, or is none any more.
bool is_refused_at_second_page(const Answer& answer) { return is_ok(answer) && has_id(answer.body, "verify"); }

Answer send_passkey(SampleInstallation& installation) {
    const std::string& url = installation.login.url;
    return UserAgent(installation.visitor).send(url.substr(0, url.find('?')), installation.passkey_login);
}

Answer remove_app(SampleInstallation& installation) { return submit(installation.bob, installation.app, "remove"); }
Answer change_password(SampleInstallation& installation) {
    return submit(installation.bob, installation.password, "save",
                  {{"present", kBobPassword}, {"new", kNewPassword}, {"again", kNewPassword}});
}
/// A right code completes nothing: the password is asked for again.
bool is_half_login_over(SampleInstallation& installation) {
    const Answer answer = verify(installation, installation.recovery_code);
    return is_ok(answer) && has_id(answer.body, "password");
}
bool is_bob_signed_out(SampleInstallation& installation) {
    return UserAgent(installation.bob).fetch(installation.op.url("account")).status == 303;
}

bool held_is_dead(SampleInstallation& installation) { return is_family_dead(installation, installation.held); }
bool held_access_is_dead(SampleInstallation& installation) {
    return is_dead(installation, installation.held.access_token);
}

std::vector<Operation> make_operations() {
    using enum Effect;
    std::vector<Operation> all = {
        {"login",
         takes,
         1,
         [](SampleInstallation& s) { return log_in(s, kAlicePassword); },
         sets_session,
         nullptr,
         nullptr,
         {"login"}},
        {"login with a wrong password",
         grants,
         1,
         [](SampleInstallation& s) { return log_in(s, "a wrong guess"); },
         is_ok,
         nullptr,
         nullptr,
         {"login"}},
        {"login while throttled",
         reads,
         0,
         [](SampleInstallation& s) { return log_in(s, kAlicePassword); },
         [](const Answer& answer) { return answer.status == 429; },
         exhaust_patience,
         nullptr,
         {"login"}},
        {"consent",
         grants,
         1,
         [](SampleInstallation& s) { return submit(s.undecided, s.consent, "approve"); },
         goes_on,
         nullptr,
         nullptr,
         {"scopes"}},
        {"denial",
         grants,
         1,
         [](SampleInstallation& s) { return submit(s.undecided, s.consent, "deny"); },
         goes_on,
         nullptr,
         nullptr,
         {"scopes"}},
        {"code after consent",
         grants,
         1,
         [](SampleInstallation& s) {
             UserAgent browser = s.undecided;
             const auto mark = s.consent.url.find('?');
             return browser.fetch(s.op.url("authorize") + s.consent.url.substr(mark));
         },
         brings_code,
         answer_yes,
         nullptr,
         {"authorize"}},
        {"code by remembered consent",
         grants,
         1,
         [](SampleInstallation& s) { return authorize(s.alice, s, authorization_request()); },
         brings_code,
         nullptr,
         nullptr,
         {"authorize"}},
        {"code exchange",
         takes,
         1,
         [](SampleInstallation& s) { return redeem(s.op, token_request(s.code)); },
         has_tokens,
         nullptr,
         [](SampleInstallation& s) { return is_invalid_grant(redeem(s.op, token_request(s.code))); },
         {"token"}},
        {"code burnt by a wrong verifier",
         takes,
         1,
         [](SampleInstallation& s) {
             return redeem(s.op, token_request(s.code).with("code_verifier", std::string(43, 'x')));
         },
         is_invalid_grant,
         nullptr,
         [](SampleInstallation& s) { return is_invalid_grant(redeem(s.op, token_request(s.code))); },
         {"token"}},
        {"code replay",
         takes,
         1,
         [](SampleInstallation& s) { return redeem(s.op, token_request(s.held.code)); },
         is_invalid_grant,
         nullptr,
         held_is_dead,
         {"token"}},
        {"refresh",
         takes,
         1,
         [](SampleInstallation& s) { return as_client(s.op, "token", refresh_form(s.held.refresh_token)); },
         has_tokens,
         nullptr,
         [](SampleInstallation& s) { return is_dead(s, s.held.refresh_token); },
         {"token"}},
        {"refresh token reuse",
         takes,
         1,
         [](SampleInstallation& s) { return as_client(s.op, "token", refresh_form(s.rotated.refresh_token)); },
         is_invalid_grant,
         nullptr,
         [](SampleInstallation& s) { return is_family_dead(s, s.rotated) && is_dead(s, s.successor); },
         {"token"}},
        {"client credentials",
         grants,
         1,
         [](SampleInstallation& s) {
             return as_client(s.op, "token", {{"grant_type", "client_credentials"}}, kMachine);
         },
         has_tokens,
         nullptr,
         nullptr,
         {"token"}},
        {"revocation of an access token",
         takes,
         1,
         [](SampleInstallation& s) { return as_client(s.op, "revoke", token_form(s.held.access_token)); },
         is_ok,
         nullptr,
         held_is_dead,
         {"revoke"}},
        {"revocation of a refresh token",
         takes,
         1,
         [](SampleInstallation& s) { return as_client(s.op, "revoke", token_form(s.held.refresh_token)); },
         is_ok,
         nullptr,
         held_is_dead,
         {"revoke"}},
        {"revocation of a code",
         takes,
         1,
         [](SampleInstallation& s) {
             return as_client(s.op, "revoke", token_form(s.code).with("token_type_hint", "auth_code"));
         },
         is_ok,
         nullptr,
         [](SampleInstallation& s) { return is_invalid_grant(redeem(s.op, token_request(s.code))); },
         {"revoke"}},
        {"logout",
         takes,
         1,
         [](SampleInstallation& s) {
             UserAgent browser = s.alice;
             return browser.fetch(s.op.url("logout") + "?" + Query{{"id_token_hint", s.held.id_token}}.text());
         },
         is_ok,
         nullptr,
         [](SampleInstallation& s) { return is_signed_out(s) && held_is_dead(s); },
         {"logout"}},
        {"introspection of a live token",
         reads,
         0,
         [](SampleInstallation& s) { return introspect(s, s.held.access_token); },
         [](const Answer& answer) { return says(answer, true); },
         nullptr,
         nullptr,
         {"introspect"}},
        {"introspection of a spent token",
         reads,
         0,
         [](SampleInstallation& s) { return introspect(s, s.rotated.refresh_token); },
         [](const Answer& answer) { return says(answer, false); },
         nullptr,
         nullptr,
         {"introspect"}},
        {"userinfo",
         reads,
         0,
         [](SampleInstallation& s) { return userinfo(s.op, s.held.access_token); },
         [](const Answer& answer) { return answer.status == 200 && !answer.member("sub").empty(); },
         nullptr,
         nullptr,
         {"userinfo"}},
        {"another password by a link",
         takes,
         1,
         [](SampleInstallation& s) {
             const auto form = s.invited.form_of(s.link, "save", {{"new", kNewPassword}, {"again", kNewPassword}});
             return UserAgent(s.invited).send(s.link.url, form);
         },
         [](const Answer& answer) { return is_ok(answer) && answer.body.find("is saved") != std::string::npos; },
         nullptr,
         [](SampleInstallation& s) {
             return is_signed_out(s) && held_is_dead(s) && UserAgent(s.invited).fetch(s.link.url).status == 400;
         },
         {"recover"}},
        {"second step by app",
         takes,
         1,
         [](SampleInstallation& s) { return verify(s, s.app_code); },
         sets_session,
         nullptr,
         [](SampleInstallation& s) { return is_refused_at_second_page(verify(s, s.app_code)); },
         {"login"}},
        {"second step by recovery code",
         takes,
         1,
         [](SampleInstallation& s) { return verify(s, s.recovery_code); },
         sets_session,
         nullptr,
         [](SampleInstallation& s) { return is_refused_at_second_page(verify(s, s.recovery_code)); },
         {"login"}},
        {"login by passkey",
         takes,
         1,
         send_passkey,
         sets_session,
         nullptr,
         [](SampleInstallation& s) { return is_ok(send_passkey(s)); },
         {"login"}},
        {"app removed",
         takes,
         1,
         remove_app,
         [](const Answer& answer) { return answer.location().ends_with("?done=app-removed"); },
         nullptr,
         is_half_login_over,
         {"account"}},
        {"password changed in the account",
         takes,
         1,
         change_password,
         [](const Answer& answer) { return answer.location().ends_with("?done=password-changed"); },
         nullptr,
         [](SampleInstallation& s) {
             return is_half_login_over(s) && is_bob_signed_out(s) && is_ok(log_in(s, kBobPassword, kBob));
         },
         {"account"}},
        {"first passkey added",
         takes,
         1,
         [](SampleInstallation& s) {
             return UserAgent(s.alice).send(s.op.url("account") + "/passkeys", s.first_passkey);
         },
         [](const Answer& answer) { return is_ok(answer) && has_id(answer.body, "codes"); },
         nullptr,
         [](SampleInstallation& s) { return UserAgent(s.invited).fetch(s.link.url).status == 400; },
         {"account"}},
        {"purge", grants, 1, purge_later, is_ok, nullptr, nullptr, {}},
        {"backup", reads, 0, back_up, is_ok, nullptr, nullptr, {}},
        by_command(
            takes, {"user", "passwd", kAlice, "--password-stdin"},
            [](SampleInstallation& s) { return is_signed_out(s) && held_is_dead(s); }, "another quite long password\n"),
        by_command(takes, {"user", "disable", kAlice},
                   [](SampleInstallation& s) { return is_signed_out(s) && held_is_dead(s); }),
        by_command(takes, {"user", "remove", kAlice},
                   [](SampleInstallation& s) { return is_signed_out(s) && held_is_dead(s); }),
        by_command(takes, {"client", "disable", kWeb}, held_access_is_dead),
        by_command(takes, {"client", "remove", kWeb}, held_access_is_dead),
        by_command(takes, {"client", "secret", kWeb},
                   [](SampleInstallation& s) { return redeem(s.op, token_request(s.code)).status == 401; }),
        by_command(takes, {"consent", "revoke", "--user", kAlice, "--client", kWeb}, held_is_dead),
        by_command(takes, {"session", "end", "--user", kAlice},
                   [](SampleInstallation& s) { return is_signed_out(s) && held_is_dead(s); }),
        by_command(takes, {"token", "revoke", "--client", kWeb}, held_is_dead),
        by_command(grants, {"user", "add", "carol", "--password-stdin"}, nullptr, "another quite long password\n"),
        by_command(grants, {"client", "add", "new", "--redirect-uri", "https://new.example/cb"}, nullptr),
    };
    return all;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all = make_operations();
    return all;
}

const Operation& operation(std::string_view name) {
    const auto found = std::ranges::find(operations(), name, &Operation::name);
    if (found == operations().end()) throw std::logic_error("no such operation: " + std::string(name));
    return *found;
}

Answer command(const SampleInstallation& installation, const std::vector<std::string>& arguments,
               const std::string& input) {
    const CommandResult result = installation.op.postern(arguments, input);
    Answer answer;
    answer.exit_code = result.exit_code;
    answer.status = result.exit_code == 0 ? 200 : result.exit_code == 1 && !result.err.empty() ? 503 : 500;
    answer.headers = {{"Retry-After", "a command's"}};
    answer.body = answer.raw = result.out;
    answer.log = result.err;
    return answer;
}

std::string fault_of_refusal(const SampleInstallation& installation, const Answer& answer) {
    if (answer.status != 503) return "the status is " + std::to_string(answer.status);
    if (answer.header("Retry-After").empty()) return "no Retry-After";
    if (answer.has("Location") || answer.has("Set-Cookie")) return "it leads on";
    for (const char* word : {"access_token\"", "refresh_token\"", "\"active\":true", "SQL", "sqlite", "disk I/O"})
        if (contains(answer.raw, word)) return std::string("it says ") + word;
    for (const std::string& secret : installation.secrets())
        if (contains(answer.raw, secret)) return "it tells a secret";
    return "";
}

}  // namespace postern::test
