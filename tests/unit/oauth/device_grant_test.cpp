// Device codes from the request to the tokens (RFC 8628): what is issued, how often, and what a poll is answered.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "oauth/access_token.h"
#include "oauth/device_approval.h"
#include "oauth/device_authorization.h"
#include "oauth/grant_device_code.h"
#include "oauth/user_code.h"
#include "store/client_access.h"
#include "store/clients.h"
#include "store/grants.h"
#include "store/users.h"
#include "support/rules_fixture.h"

using namespace postern;
using model::GrantType;
using oauth::wire_name;
using util::Seconds;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    model::Client cli;
    model::Client service;
    model::User user = fixture.add_user("alice");
    model::User bob = fixture.add_user("bob");
    model::Session session = fixture.add_session(user, "cookie");
    std::string address = "192.0.2.1";

    Fixture() {
        fixture.settings.paths.device_authorization = "/device_authorization";
        fixture.settings.paths.device = "/device";
        cli = add("cli", model::ClientType::public_);
        service = add("service", model::ClientType::confidential);
    }
    model::Client add(const std::string& id, model::ClientType type) {
        model::Client client;
        client.id = model::ClientId(id);
        client.name = id;
        client.type = type;
        client.grants = {GrantType::device_code, GrantType::refresh_token};
        client.scope = *model::Scope::parse("openid profile api");
        client.auth_method =
            type == model::ClientType::public_ ? model::AuthMethod::none : model::AuthMethod::client_secret;
        fixture.add(client);
        return client;
    }
    oauth::Context context() { return fixture.context(); }

    util::Result<oauth::DeviceAuthorization, oauth::DeviceRefusal> ask(const model::Client& client,
                                                                       const std::string& form = "") {
        auto context = fixture.context();
        auto request = test::post(form);
        request.remote_address = address;
        return oauth::authorize_device(context, client, request);
    }
    /// "" or "STATUS error", and " +" where another try makes sense.
    std::string refusal(const model::Client& client, const std::string& form = "") {
        const auto asked = ask(client, form);
        if (asked) return "";
        return std::to_string(asked.error().error.http_status) + " " +
               std::string(wire_name(asked.error().error.code)) + (asked.error().retry_after.count() > 0 ? " +" : "");
    }
    std::int64_t counted() {
        auto row = fixture.database.query("SELECT MAX(failures) FROM login_attempts WHERE attempt_key LIKE 'device-%'");
        REQUIRE(row.step());
        return row.integer(0);
    }
    int accepted(const model::Client& client, int times) {
        int count = 0;
        for (int i = 0; i < times; ++i) count += refusal(client).empty() ? 1 : 0;
        return count;
    }
    std::string letters_of(const oauth::DeviceAuthorization& issued) {
        return *oauth::parse_user_code(issued.user_code);
    }
    bool approve(const oauth::DeviceAuthorization& issued) {
        auto context = fixture.context();
        const auto device = oauth::find_asking_device(context, letters_of(issued));
        return device && oauth::approve_device(context, *device, session, "");
    }
    bool deny(const oauth::DeviceAuthorization& issued) {
        auto context = fixture.context();
        const auto device = oauth::find_asking_device(context, letters_of(issued));
        return device && oauth::deny_device(context, *device, session);
    }
    /// "" for tokens, or the error.
    std::string poll(const std::string& device_code, const model::Client& by) {
        auto context = fixture.context();
        const auto usable = oauth::find_usable_device_code(context, by, {device_code, std::nullopt});
        if (!usable) return std::string(wire_name(oauth::settle(context, by, usable.error()).code));
        grant = usable->grant;
        const auto issue =
            oauth::make_access_token(context, {usable->grant, usable->scope, usable->target, usable->username});
        const auto redeemed = oauth::redeem_device_code(context, *usable, issue.record, std::nullopt);
        return redeemed ? "" : std::string(wire_name(redeemed.error().code));
    }
    std::string poll(const oauth::DeviceAuthorization& issued) { return poll(issued.device_code, cli); }
    void advance(int seconds) { fixture.clock.advance(Seconds{seconds}); }
    bool has_ended(const model::GrantId& id) {
        const auto found = store::find_grant(fixture.database, id);
        return !found || found->ended_at.has_value();
    }
    template <class Action>
    void change(const Action& action) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        action(transaction);
        transaction.commit();
    }

    model::Grant grant;  ///< of the last redemption
};

}  // namespace

TEST_CASE("device authorization: the answer [DEV-5, DEV-6, RFC 8628 §3.2ab]") {
    Fixture f;
    const auto issued = f.ask(f.cli);
    REQUIRE(issued);
    const json::Object answer = issued->to_json();
    const auto text = [&](const char* name) { return *answer.find(name)->if_string(); };
    CHECK(text("device_code").size() == 43);
    CHECK(text("user_code").size() == 9);
    CHECK(text("verification_uri") == "https://op.example/device");
    CHECK(text("verification_uri_complete") == "https://op.example/device?user_code=" + text("user_code"));
    CHECK(text("message") == "To sign in, open https://op.example/device and enter " + text("user_code"));
    CHECK(*answer.find("expires_in")->if_integer() == 600);
    CHECK(*answer.find("interval")->if_integer() == 5);
    const auto stored = store::find_device_code(f.fixture.database, oauth::hash_of(text("device_code")));
    REQUIRE(stored);
    CHECK(stored->code.address == "192.0.2.1");
    CHECK(stored->code.scope == *model::Scope::parse("api"));  // the client's own, without those of OpenID (DEV-3)
}

TEST_CASE("device authorization: which clients may, for which scope and resource [DEV-2, DEV-3]") {
    struct Row {
        const char* when;
        const char* form;
        const char* expected;
        const char* scope = "";
    };
    const Row rows[] = {
        {"OpenID scopes", "scope=openid+profile", "", "openid profile"},
        {"offline_access, which needs no registration", "scope=openid+offline_access", "", "openid offline_access"},
        {"a scope that is not registered", "scope=api+admin", "400 invalid_scope"},
        {"not a scope", "scope=a%22b", "400 invalid_scope"},
        {"a resource", "scope=api&resource=https://api.example/", "", "api"},
        {"not a resource", "scope=api&resource=api", "400 invalid_target"},
        {"this server as resource", "scope=api&resource=https://op.example/", "400 invalid_target"},
        {"what is not known", "scope=api&response_type=code&nonce=n", "", "api"},
        {"what no request has", "scope=openid+news", "", "openid"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        f.fixture.settings.oidc = true;
        CHECK(f.refusal(f.cli, row.form) == row.expected);
        if (*row.expected) continue;
        const auto issued = f.ask(f.cli, row.form);
        const auto stored = store::find_device_code(f.fixture.database, oauth::hash_of(issued->device_code));
        CHECK(stored->code.scope.to_string() == row.scope);
    }
    for (const std::size_t length : {oauth::kMaxRequestBytes, oauth::kMaxRequestBytes + 1}) {
        CAPTURE(length);
        Fixture f;
        const std::string start = "https://api.example/";
        const std::string resource = start + std::string(length - start.size() - 3, 'a');
        CHECK((f.refusal(f.cli, "scope=api&resource=" + resource) == "400 invalid_request") ==
              (length > oauth::kMaxRequestBytes));
    }
    Fixture f;
    f.cli.grants = {GrantType::authorization_code};
    CHECK(f.refusal(f.cli) == "400 unauthorized_client");
}

TEST_CASE("device authorization: limits by address, by client and in all [DEV-4]") {
    SUBCASE("a public client: ten open codes of an address, twenty requests a minute") {
        Fixture f;
        CHECK(f.accepted(f.cli, 10) == 10);
        CHECK(f.refusal(f.cli) == "429 slow_down +");
        CHECK(f.accepted(f.service, 5) == 5);
        f.address = "192.0.2.2";
        CHECK(f.refusal(f.cli) == "");
        f.address = "192.0.2.1";
        f.advance(600);
        CHECK(f.refusal(f.cli) == "");
    }
    SUBCASE("requests are counted, also those that get no code") {
        Fixture f;
        CHECK(f.accepted(f.cli, 20) == 10);
        f.change([](auto& t) { t.run("DELETE FROM device_codes"); });
        CHECK(f.refusal(f.cli) == "429 slow_down +");
        CHECK(f.counted() == 20);  // a flood costs no writes
        f.advance(60);
        CHECK(f.refusal(f.cli) == "");
    }
    SUBCASE("one /64 is one address, and unknown addresses have no counter") {
        Fixture f;
        f.address = "2001:db8::1";
        CHECK(f.accepted(f.cli, 10) == 10);
        f.address = "2001:db8::2";
        CHECK(f.refusal(f.cli) == "429 slow_down +");
        f.address = "2001:db8:0:1::2";
        CHECK(f.refusal(f.cli) == "");
        f.address = "";
        CHECK(f.accepted(f.cli, 30) == 30);
    }
    SUBCASE("a client that authenticates: sixty a minute, a quarter of device.max, whatever the address") {
        Fixture f;
        CHECK(f.accepted(f.service, 61) == 60);
        CHECK(f.refusal(f.service) == "429 slow_down +");
        Fixture few;
        few.fixture.settings.device_max = 9;
        CHECK(few.accepted(few.service, 4) == 3);  // a quarter, rounded up
        CHECK(few.refusal(few.service) == "429 slow_down +");
        CHECK(few.refusal(few.cli) == "");
    }
    SUBCASE("public clients have half of device.max, and all together no more than that") {
        Fixture f;
        f.fixture.settings.device_max = 9;
        f.address = "";
        CHECK(f.accepted(f.cli, 6) == 5);
        CHECK(f.refusal(f.cli) == "503 temporarily_unavailable +");
        CHECK(f.accepted(f.service, 4) == 3);
        const auto second = f.add("second", model::ClientType::confidential);
        CHECK(f.accepted(second, 3) == 1);
        CHECK(f.refusal(second) == "503 temporarily_unavailable +");
        f.advance(600);
        CHECK(f.refusal(second) == "");
    }
}

TEST_CASE("judge_poll: when a poll is too soon, and what it costs [DEV-16, RFC 8628 §3.5b]") {
    struct Row {
        const char* when;
        std::optional<int> last;  ///< seconds before now; nullopt: none
        int interval;
        bool slowed;
        bool too_soon;
        int grown = 0;  ///< to which the interval grows; 0: it does not
    };
    const Row rows[] = {
        {"the first one", std::nullopt, 5, false, false},
        {"after the interval", 5, 5, false, false},
        {"a second early", 4, 5, false, false},
        {"two seconds early", 3, 5, false, true, 10},
        {"again, before a good one", 3, 5, true, true},
        {"sent twice", 0, 5, false, true},
        {"sent twice, a second later", 1, 5, false, true},
        {"soon after that", 2, 5, false, true, 10},
        {"with a longer interval", 8, 10, false, true, 15},
        {"in time for a longer one", 9, 10, true, false},
        {"up to 30 seconds", 20, 28, false, true, 30},
        {"no longer than that", 20, 30, false, true, 30},
        {"behind a clock that went back", -100, 5, false, false},
    };
    const util::Time now = util::from_epoch(1700000000);
    for (const Row& row : rows) {
        CAPTURE(row.when);
        model::DeviceCode code;
        if (row.last) code.last_poll_at = now - Seconds{*row.last};
        code.interval = Seconds{row.interval};
        code.slowed = row.slowed;
        const oauth::Poll poll = oauth::judge_poll(code, now);
        CHECK(poll.too_soon == row.too_soon);
        CHECK(poll.interval.value_or(Seconds{0}).count() == row.grown);
    }
}

TEST_CASE("device grant: what a poll is answered, in this order [DEV-13, RFC 8628 §3.5ab]") {
    Fixture f;
    const auto issued = *f.ask(f.cli);
    auto without = f.cli;
    without.grants = {GrantType::authorization_code};
    CHECK(f.poll("unknown", f.cli) == "invalid_grant");
    CHECK(f.poll(issued.device_code, f.service) == "invalid_grant");
    CHECK(f.poll(issued.device_code, without) == "unauthorized_client");
    CHECK(f.poll(issued) == "authorization_pending");
    CHECK(f.poll(issued) == "slow_down");
    f.advance(5);
    CHECK(f.poll(issued) == "authorization_pending");
    f.advance(2);
    CHECK(f.poll(issued) == "slow_down");  // ten seconds from here on
    f.advance(5);
    CHECK(f.poll(issued) == "slow_down");
    f.advance(2);
    CHECK(f.poll(issued) == "authorization_pending");
    REQUIRE(f.approve(issued));
    f.advance(10);
    CHECK(f.poll(issued.device_code, f.service) == "invalid_grant");
    CHECK(f.poll(issued) == "");
    CHECK_FALSE(f.has_ended(f.grant.id));
    CHECK(f.grant.sid.empty());
    CHECK(f.grant.auth_time == f.session.auth_time);
    // Used: the code was copied, so that everything it has yielded ends.
    CHECK(f.poll(issued) == "invalid_grant");
    CHECK(f.has_ended(f.grant.id));

    const auto denied = *f.ask(f.cli);
    REQUIRE(f.deny(denied));
    CHECK(f.poll(denied) == "access_denied");
    CHECK(f.poll(denied) == "slow_down");
    const auto expired = *f.ask(f.cli);
    f.advance(599);
    CHECK(f.poll(expired) == "authorization_pending");
    f.advance(1);
    CHECK(f.poll(expired) == "expired_token");
    CHECK(f.poll(expired) == "expired_token");
}

TEST_CASE("device grant: an approval that was not redeemed in time, or twice at once, gives nothing [DEV-12, DEV-13]") {
    Fixture f;
    const auto late = *f.ask(f.cli);
    REQUIRE(f.approve(late));
    f.advance(600);
    CHECK(f.poll(late) == "expired_token");
    const auto twice = *f.ask(f.cli);
    REQUIRE(f.approve(twice));
    auto context = f.context();
    const auto first = oauth::find_usable_device_code(context, f.cli, {twice.device_code, std::nullopt});
    const auto second = oauth::find_usable_device_code(context, f.cli, {twice.device_code, std::nullopt});
    REQUIRE((first && second));
    const auto redeem = [&](const oauth::UsableDeviceCode& usable) {
        const auto issue =
            oauth::make_access_token(context, {usable.grant, usable.scope, usable.target, usable.username});
        return oauth::redeem_device_code(context, usable, issue.record, std::nullopt);
    };
    CHECK(redeem(*first));
    const auto replayed = redeem(*second);
    REQUIRE_FALSE(replayed);
    CHECK(wire_name(replayed.error().code) == "invalid_grant");
    CHECK(f.has_ended(first->grant.id));

    const auto meanwhile = *f.ask(f.cli);
    REQUIRE(f.approve(meanwhile));
    const auto usable = oauth::find_usable_device_code(context, f.cli, {meanwhile.device_code, std::nullopt});
    REQUIRE(usable);
    f.advance(600);
    const auto expired = redeem(*usable);
    REQUIRE_FALSE(expired);
    CHECK(wire_name(expired.error().code) == "expired_token");
}

TEST_CASE("deny_device: a code that was answered meanwhile keeps its answer [DEV-9, DEV-12]") {
    for (const bool was_approved : {true, false}) {
        CAPTURE(was_approved);
        Fixture f;
        const auto issued = *f.ask(f.cli);
        auto context = f.context();
        const auto device = oauth::find_asking_device(context, f.letters_of(issued));
        REQUIRE(device);
        REQUIRE((was_approved ? f.approve(issued) : f.deny(issued)));
        CHECK_FALSE(oauth::deny_device(context, *device, f.session));
        CHECK(oauth::was_answered(context, f.letters_of(issued), f.user.subject, was_approved));
        CHECK_FALSE(oauth::was_answered(context, f.letters_of(issued), f.user.subject, !was_approved));
    }
}

TEST_CASE("device grant: what was lost since the approval is looked at again [DEV-14]") {
    struct Row {
        const char* when;
        std::function<void(Fixture&, db::Transaction&)> lose;
    };
    const Row rows[] = {
        {"the user is disabled",
         [](Fixture& f, db::Transaction& t) {
             f.user.enabled = false;
             store::update_user(t, f.user);
         }},
        {"the grant has ended",
         [](Fixture& f, db::Transaction& t) {
             store::end_grants_of(t, f.cli.id, f.user.subject, f.fixture.clock.now());
         }},
        {"the client is for others",
         [](Fixture& f, db::Transaction& t) {
             f.cli.restricted = true;
             store::update_client(t, f.cli);
         }},
        {"the grant is another user's",
         [](Fixture& f, db::Transaction& t) { t.run("UPDATE grants SET subject = $1", f.bob.subject); }},
        {"the grant is another client's",
         [](Fixture& f, db::Transaction& t) { t.run("UPDATE grants SET client_id = $1", f.service.id); }},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        const auto issued = *f.ask(f.cli);
        REQUIRE(f.approve(issued));
        f.change([&](auto& t) { row.lose(f, t); });
        CHECK(f.poll(issued) == "access_denied");
    }
}

TEST_CASE("approve_device: session and right to the client are looked at again, and one answer counts [DEV-12]") {
    using oauth::NotApproved;
    struct Row {
        const char* when;
        std::function<void(Fixture&, const oauth::DeviceAuthorization&)> before;
        std::optional<NotApproved> expected;
    };
    const Row rows[] = {
        {"as it was", [](auto&, auto&) {}, std::nullopt},
        {"the session has ended",
         [](Fixture& f, auto&) {
             f.change([&](auto& t) { store::remove_session(t, f.session, f.context().now(), {}); });
         },
         NotApproved::session_ended},
        {"the client is for others",
         [](Fixture& f, auto&) {
             f.cli.restricted = true;
             f.change([&](auto& t) { store::update_client(t, f.cli); });
         },
         NotApproved::may_not_use},
        {"approved in another tab", [](Fixture& f, auto& issued) { CHECK(f.approve(issued)); }, NotApproved::answered},
        {"denied in another tab", [](Fixture& f, auto& issued) { CHECK(f.deny(issued)); }, NotApproved::answered},
        {"expired", [](Fixture& f, auto&) { f.advance(600); }, NotApproved::answered},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        const auto issued = *f.ask(f.cli);
        auto context = f.context();
        const auto device = oauth::find_asking_device(context, f.letters_of(issued));
        REQUIRE(device);
        row.before(f, issued);
        auto again = f.context();
        const auto approved = oauth::approve_device(again, *device, f.session, "");
        CHECK(static_cast<bool>(approved) == !row.expected.has_value());
        if (row.expected) CHECK(approved.error() == *row.expected);
    }
}

TEST_CASE(
    "find_asking_device: pending codes of clients that are enabled and have the grant, by their letters [DEV-9]") {
    Fixture f;
    auto context = f.context();
    const auto issued = *f.ask(f.cli);
    CHECK(oauth::find_asking_device(context, f.letters_of(issued)));
    CHECK_FALSE(oauth::find_asking_device(context, "BBBBBBBB"));
    CHECK_FALSE(oauth::was_answered(context, f.letters_of(issued), f.user.subject, true));
    REQUIRE(f.approve(issued));
    CHECK_FALSE(oauth::find_asking_device(context, f.letters_of(issued)));
    CHECK(oauth::was_answered(context, f.letters_of(issued), f.user.subject, true));
    CHECK_FALSE(oauth::was_answered(context, f.letters_of(issued), f.user.subject, false));
    CHECK_FALSE(oauth::was_answered(context, f.letters_of(issued), model::Subject("another"), true));
    const auto without_grant = *f.ask(f.service);
    f.service.grants = {GrantType::authorization_code};
    f.change([&](auto& t) { store::update_client(t, f.service); });
    CHECK_FALSE(oauth::find_asking_device(context, f.letters_of(without_grant)));
    const auto of_disabled = *f.ask(f.cli);
    f.cli.enabled = false;
    f.change([&](auto& t) { store::update_client(t, f.cli); });
    CHECK_FALSE(oauth::find_asking_device(context, f.letters_of(of_disabled)));
}

TEST_CASE("count_typed_code: twenty codes of one user in ten minutes [DEV-9]") {
    Fixture f;
    auto context = f.context();
    for (int i = 0; i < 20; ++i) CHECK_FALSE(oauth::count_typed_code(context, f.user.subject));
    f.advance(10);
    CHECK(oauth::count_typed_code(context, f.user.subject) == Seconds{590});
    CHECK_FALSE(oauth::count_typed_code(context, model::Subject("another")));
    f.advance(590);
    CHECK_FALSE(oauth::count_typed_code(context, f.user.subject));
}
