#include "store/device_codes.h"

#include "store/clients.h"
#include "store/sweep.h"
#include "unit/store/two_users.h"

using namespace postern;
using namespace postern::test;
using model::ClientId;
using model::DeviceCodeState;
using model::GrantId;
using model::ValueHash;

namespace {

const ValueHash kDevice("device");

struct Fixture : TwoUsers {
    Fixture() {
        written(database, [](auto& t) {
            store::insert_client(t, client());
            auto cli = client("cli");
            cli.type = model::ClientType::public_;
            store::insert_client(t, cli);
        });
    }
    static model::DeviceCode code(const std::string& device = "device", const std::string& user_code = "letters") {
        model::DeviceCode code;
        code.device_hash = ValueHash(device);
        code.user_code_hash = ValueHash(user_code);
        code.client_id = ClientId("cli");
        code.created_at = kNow;
        code.expires_at = kNow + Seconds{60};
        return code;
    }
    bool insert(const model::DeviceCode& made) { return written(database, store::insert_device_code, made); }
    std::optional<store::StoredDeviceCode> find(const ValueHash& hash = kDevice) {
        return store::find_device_code(database, hash);
    }
    void add_grant() {
        written(database, [&](auto& t) { store::insert_grant(t, grant("grant", "ada"), kNow + Seconds{60}); });
    }
    bool approve(Time now = kNow) {
        return written(database, store::approve_device_code, kDevice, ada, GrantId("grant"), now);
    }
    bool deny(Time now = kNow) { return written(database, store::deny_device_code, kDevice, bob, now); }
    bool redeem(Time now = kNow) { return written(database, store::redeem_device_code, kDevice, now); }
};

}  // namespace

TEST_CASE("device codes: what was stored is found by either digest [DEV-7]") {
    Fixture f;
    auto rich = Fixture::code();
    rich.scope = *model::Scope::parse("openid api");
    rich.ignored_scope = *model::Scope::parse("other");
    rich.resources = {"https://api.example/", "https://files.example/"};
    rich.address = "203.0.113.7";
    rich.network = "digest";
    REQUIRE(f.insert(rich));
    REQUIRE(f.find());
    CHECK(f.find()->code == rich);
    CHECK(store::find_typed_device_code(f.database, ValueHash("letters")) == rich);
    CHECK_FALSE(f.find(ValueHash("letters")));
    CHECK_FALSE(store::find_typed_device_code(f.database, kDevice));
}

TEST_CASE("device codes: no two stored ones have the same letters [DEV-6]") {
    Fixture f;
    REQUIRE(f.insert(Fixture::code()));
    CHECK_FALSE(f.insert(Fixture::code("another")));
    CHECK_FALSE(f.find(ValueHash("another")));
    CHECK(f.insert(Fixture::code("another", "others")));
}

TEST_CASE("device codes: open ones are pending or approved, and not expired [DEV-4]") {
    Fixture f;
    const auto add = [&](const char* name, const char* client, const char* network) {
        auto code = Fixture::code(name, name);
        code.client_id = ClientId(client);
        code.network = network;
        REQUIRE(f.insert(code));
    };
    add("device", "cli", "here");
    add("b", "cli", "there");
    add("c", "cli", "");
    add("d", "client", "");
    const auto counts = [&](const char* network, Time now = kNow) {
        const auto open = store::count_open_device_codes(f.database, ClientId("cli"), network, now);
        CHECK(open.all == store::count_open_device_codes(f.database, now));
        return std::vector{open.all, open.of_public_clients, open.of_client, open.of_network};
    };
    CHECK(counts("here") == std::vector<std::int64_t>{4, 3, 3, 1});
    CHECK(counts("") == std::vector<std::int64_t>{4, 3, 3, 0});
    f.add_grant();
    REQUIRE(f.approve());
    CHECK(counts("here") == std::vector<std::int64_t>{4, 3, 3, 1});
    REQUIRE(f.redeem());
    CHECK(counts("here") == std::vector<std::int64_t>{3, 2, 2, 0});
    CHECK(counts("there", kNow + Seconds{59}) == std::vector<std::int64_t>{3, 2, 2, 1});
    CHECK(counts("there", kNow + Seconds{60}) == std::vector<std::int64_t>{0, 0, 0, 0});
}

TEST_CASE("device codes: a pending one is answered once, before it expires [DEV-12]") {
    struct Row {
        const char* when;
        void (*before)(Fixture&);
        Seconds after;
        bool good;
    };
    const Row rows[] = {
        {"pending", [](Fixture&) {}, Seconds{59}, true},
        {"expired", [](Fixture&) {}, Seconds{60}, false},
        {"approved", [](Fixture& f) { f.approve(); }, Seconds{0}, false},
        {"denied", [](Fixture& f) { f.deny(); }, Seconds{0}, false},
        {"used", [](Fixture& f) { CHECK((f.approve() && f.redeem())); }, Seconds{0}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        for (const bool approves : {true, false}) {
            Fixture f;
            f.add_grant();
            f.insert(Fixture::code());
            row.before(f);
            const auto before = f.find()->code;
            const Time now = kNow + row.after;
            CHECK((approves ? f.approve(now) : f.deny(now)) == row.good);
            const auto after = f.find()->code;
            if (!row.good) CHECK(after == before);
            if (row.good) CHECK(after.state == (approves ? DeviceCodeState::approved : DeviceCodeState::denied));
            if (row.good) CHECK(after.subject == (approves ? f.ada : f.bob));
            CHECK(f.find()->user_enabled == !after.subject.empty());
        }
    }
}

TEST_CASE("redeem_device_code: true once, for an approved code whose grant has not ended [DEV-13, DEV-14]") {
    struct Row {
        const char* when;
        void (*before)(Fixture&);
        Seconds after;
        bool good;
    };
    const Row rows[] = {
        {"approved", [](Fixture& f) { f.approve(); }, Seconds{59}, true},
        {"expired", [](Fixture& f) { f.approve(); }, Seconds{60}, false},
        {"pending", [](Fixture&) {}, Seconds{0}, false},
        {"denied", [](Fixture& f) { f.deny(); }, Seconds{0}, false},
        {"used", [](Fixture& f) { CHECK((f.approve() && f.redeem())); }, Seconds{0}, false},
        {"the grant has ended",
         [](Fixture& f) {
             f.approve();
             written(f.database, store::end_grant, GrantId("grant"), kNow);
         },
         Seconds{0}, false},
        {"the grant has ended and was deleted",
         [](Fixture& f) {
             f.approve();
             f.database.prepare("DELETE FROM grants").execute();
         },
         Seconds{0}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        f.add_grant();
        f.insert(Fixture::code());
        row.before(f);
        CHECK(f.redeem(kNow + row.after) == row.good);
        CHECK_FALSE(f.redeem(kNow + row.after));
        CHECK(f.find());
    }
}

TEST_CASE("device codes: polls are recorded, and the interval grows once between two good ones [DEV-16]") {
    Fixture f;
    f.insert(Fixture::code());
    const auto poll = [&](Time now) { written(f.database, store::record_poll, kDevice, now); };
    const auto slow = [&](Seconds interval) { written(f.database, store::slow_polls, kDevice, interval); };
    poll(kNow + Seconds{3});
    CHECK(f.find()->code.last_poll_at == kNow + Seconds{3});
    slow(Seconds{10});
    slow(Seconds{15});
    CHECK(f.find()->code.interval == Seconds{10});
    CHECK(f.find()->code.slowed);
    CHECK(f.find()->code.last_poll_at == kNow + Seconds{3});
    poll(kNow + Seconds{20});
    CHECK_FALSE(f.find()->code.slowed);
    CHECK(f.find()->code.interval == Seconds{10});
}

TEST_CASE("device codes: they are kept for ten minutes behind their expiry, and go with client and user [DEV-7]") {
    Fixture f;
    f.insert(Fixture::code());
    f.insert(Fixture::code("of ada", "a"));
    f.database.prepare("UPDATE device_codes SET subject = 'ada' WHERE device_hash = 'of ada'").execute();
    auto other = Fixture::code("of another client", "b");
    other.client_id = ClientId("client");
    f.insert(other);
    written(f.database, store::remove_user, f.ada, kNow, store::LogoutNotices{});
    CHECK_FALSE(f.find(ValueHash("of ada")));
    written(f.database, store::remove_client, ClientId("client"));
    CHECK_FALSE(f.find(ValueHash("of another client")));
    const auto sweep = [&](Time now) {
        return written(f.database, [&](auto& t) { return store::sweep(t, now); }).at("device_codes");
    };
    CHECK(sweep(kNow + Seconds{659}) == 0);
    CHECK(f.find());
    CHECK(sweep(kNow + Seconds{660}) == 1);
    CHECK_FALSE(f.find());
}
