#include "fetch/document.h"

#include <doctest/doctest.h>
#include <deque>
#include <functional>
#include <string>

#include "crypto/digest.h"
#include "db/error.h"
#include "os/file_lock.h"
#include "store/fetched.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kUrl = "https://app.example/client";

/// Answers what a test has put there; its time stands but for what answers take.
class FakeFetcher final : public fetch::Fetcher {
public:
    fetch::Reply ask(const fetch::Question& question) override {
        asked.push_back(question.url);
        if (on_ask) on_ask();
        now_ += takes;
        if (replies.empty()) return std::string("no answer was prepared");
        fetch::Reply reply = replies.front();
        if (replies.size() > 1) replies.pop_front();
        return reply;
    }
    Moment now() const override { return now_; }
    void wait_until(Moment moment) const override {
        waited.push_back(moment - Moment());
        if (on_wait) on_wait();
    }

    std::deque<fetch::Reply> replies;
    std::vector<std::string> asked;
    std::chrono::nanoseconds takes{0};
    std::function<void()> on_ask;
    std::function<void()> on_wait;
    mutable std::vector<std::chrono::nanoseconds> waited;  ///< until when, from the beginning

private:
    Moment now_{};
};

fetch::Answer answer(const std::string& body, int status = 200) {
    fetch::Answer answer;
    answer.status = status;
    answer.content_type = "application/json";
    answer.cache_control = "max-age=1000";
    answer.body = body;
    return answer;
}

std::optional<std::string> check_good(const fetch::Document& document) {
    return document.body.starts_with("bad") ? std::optional<std::string>("it is bad") : std::nullopt;
}

struct Reader {
    db::Database database = test::empty_database();
    FakeFetcher fetcher{};
    fetch::Outbound outbound{};
    Time now = kNow;
    refusal::Reason why{};  ///< of the last failure

    /// The body, or "?" and the reason, "!" when it was too often.
    std::string read(const std::string& url = kUrl, fetch::Occasion occasion = fetch::Occasion::first,
                     const std::string& of = "") {
        const fetch::Source source{database, now, &fetcher, outbound};
        const auto result =
            fetch::read_document(source, fetch::Purpose::client_document, url, {occasion, of}, check_good);
        if (result) return result->body;
        why = result.error().why;
        return (refusal::error_word(why) == "client_document_busy" ? "!" : "?") + result.error().reason;
    }
    std::string cached(const std::string& url = kUrl) {
        const auto found = store::find_fetched(database, crypto::sha256_hex("client_document " + url));
        return found ? found->body : "";
    }
    void replies(std::initializer_list<fetch::Reply> list) { fetcher.replies = list; }
};

const std::string kRemembered = "?it failed in the last 30 s, and is not asked again so soon";

}  // namespace

TEST_CASE("read_document: fetched once while it is fresh, and again afterwards [FETCH-9]") {
    Reader reader;
    reader.replies({answer("one"), answer("two")});
    CHECK(reader.cached() == "");
    CHECK(reader.read() == "one");
    reader.now = kNow + Seconds{999};
    CHECK(reader.read() == "one");
    CHECK(reader.fetcher.asked.size() == 1);
    reader.now = kNow + Seconds{1000};
    CHECK(reader.read() == "two");
    CHECK(reader.cached() == "two");
    CHECK(reader.fetcher.asked == std::vector<std::string>{kUrl, kUrl});
    CHECK(reader.read("https://app.example/other") == "two");
    CHECK(reader.fetcher.asked.size() == 3);
    CHECK(reader.fetcher.waited.empty());
}

TEST_CASE("read_document: a URL that failed is not asked again for 30 s, and nothing of it is kept [FETCH-9]") {
    Reader reader;
    reader.replies({std::string("no route"), answer("gone", 404), answer("bad"), answer(std::string("\0", 1)),
                    answer("\xff"), answer("one")});
    const char* const reasons[] = {"?no route", "?the answer has status 404", "?it is bad", "?the answer is not text",
                                   "?the answer is not text"};
    for (const char* reason : reasons) {
        CAPTURE(reason);
        CHECK(reader.read() == reason);
        CHECK(reader.cached() == "");
        reader.now += Seconds{29};
        CHECK(reader.read() == kRemembered);
        CHECK(reader.read(kUrl, fetch::Occasion::renewal) == kRemembered);
        reader.now += Seconds{1};
    }
    CHECK(reader.read() == "one");
    CHECK(reader.fetcher.asked.size() == 6);
}

TEST_CASE("read_document: a stale document serves for staleIfError when the fetch fails [FETCH-9]") {
    Reader reader;
    reader.replies({answer("one"), std::string("no route")});
    reader.read();
    for (const int after : {1000, 1029, 4599}) {
        CAPTURE(after);
        reader.now = kNow + Seconds{after};
        CHECK(reader.read() == "one");
    }
    reader.now = kNow + Seconds{4600};
    CHECK(reader.read() == kRemembered);
    reader.now = kNow + Seconds{4630};
    CHECK(reader.read() == "?no route");
    CHECK(reader.cached() == "one");
    CHECK(reader.fetcher.asked.size() == 4);

    Reader fresh_only;
    fresh_only.outbound.stale_if_error = Seconds{0};
    fresh_only.replies({answer("one"), std::string("no route")});
    fresh_only.read();
    fresh_only.now = kNow + Seconds{1000};
    CHECK(fresh_only.read() == "?no route");
}

TEST_CASE("read_document: a stale one serves no more once the new one was fetched and is invalid [FETCH-9]") {
    Reader reader;
    reader.replies({answer("one"), answer("bad"), std::string("no route"), answer("two")});
    reader.read();
    reader.now = kNow + Seconds{1000};
    CHECK(reader.read() == "?it is bad");
    CHECK(reader.read() == kRemembered);
    CHECK(reader.cached() == "one");
    reader.now += Seconds{30};
    CHECK(reader.read() == "?no route");
    reader.now += Seconds{30};
    CHECK(reader.read() == "two");
}

TEST_CASE("read_document: a cached document that a new rule refuses is fetched again") {
    Reader reader;
    reader.replies({answer("one"), answer("two")});
    reader.read();
    const fetch::Source source{reader.database, kNow, &reader.fetcher, reader.outbound};
    const auto stricter = [](const fetch::Document& document) {
        return document.body == "one" ? std::optional<std::string>("it is old") : std::nullopt;
    };
    const auto result =
        fetch::read_document(source, fetch::Purpose::client_document, kUrl, {fetch::Occasion::renewal}, stricter);
    REQUIRE(result);
    CHECK(result->body == "two");
}

TEST_CASE(
    "read_document: six fetches of a host in a minute, whatever its spelling, and a cached one still [FETCH-11, N03]") {
    Reader reader;
    reader.replies({answer("one")});
    CHECK(reader.read() == "one");
    for (int i = 2; i <= 6; ++i) CHECK(reader.read("https://APP.example.:443/" + std::to_string(i)) == "one");
    CHECK(reader.read("https://app.example/7") == "!more than 6 fetches from this host in a minute");
    CHECK(reader.read() == "one");
    CHECK(reader.read("https://other.example/") == "one");
    reader.now = kNow + Seconds{59};
    CHECK(reader.read("https://app.example/7") == "!more than 6 fetches from this host in a minute");
    reader.now = kNow + Seconds{60};
    CHECK(reader.read("https://app.example/7") == "one");
    CHECK(reader.fetcher.asked.size() == 8);
}

TEST_CASE("read_document: sixty fetches of all hosts in a minute [FETCH-11, N03]") {
    Reader reader;
    reader.replies({answer("one")});
    const auto url = [](int host) { return "https://h" + std::to_string(host) + ".example/"; };
    for (int i = 1; i <= 60; ++i) CHECK(reader.read(url(i)) == "one");
    CHECK(reader.read(url(61)) == "!more than 60 fetches in a minute");
    CHECK(reader.read(url(60)) == "one");
    CHECK(reader.fetcher.asked.size() == 60);
    reader.now = kNow + Seconds{60};
    CHECK(reader.read(url(61)) == "one");
}

TEST_CASE(
    "read_document: strangers who spend the fetches of a host, or of all, keep nothing from renewal [FETCH-11, N03]") {
    struct Row {
        const char* when;
        int urls;
        const char* host;
        const char* refusal;
    };
    const Row rows[] = {
        {"of the host", 6, "app", "!more than 6 fetches from this host in a minute"},
        {"of all hosts", 60, "", "!more than 60 fetches in a minute"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Reader reader;
        reader.replies({answer("one"), answer("two")});
        reader.read();
        reader.now = kNow + Seconds{1000};
        for (int i = 0; i < row.urls; ++i) {
            const std::string host = *row.host != '\0' ? row.host : "h" + std::to_string(i);
            reader.read("https://" + host + ".example/" + std::to_string(i));
        }
        CHECK(reader.read("https://app.example/new") == row.refusal);
        CHECK(reader.read() == "one");  // as one that is not known: stale, because of the others
        CHECK(reader.read(kUrl, fetch::Occasion::renewal) == "two");
    }
}

TEST_CASE("read_document: renewals have the same limits, and leave those of new URLs alone [FETCH-11, N03]") {
    Reader reader;
    reader.replies({answer("one")});
    const auto renewed = [&](const std::string& url) { return reader.read(url, fetch::Occasion::renewal); };
    for (int i = 1; i <= 6; ++i) CHECK(renewed("https://app.example/" + std::to_string(i)) == "one");
    CHECK(renewed("https://app.example/7") == "!more than 6 fetches from this host in a minute");
    CHECK(reader.read("https://app.example/8") == "one");
    for (int i = 1; i <= 54; ++i) CHECK(renewed("https://h" + std::to_string(i) + ".example/") == "one");
    CHECK(renewed("https://h55.example/") == "!more than 60 fetches in a minute");
    CHECK(reader.read("https://h55.example/") == "one");
}

TEST_CASE(
    "read_document: every fetch that fails lasts a second from its beginning, whatever it is [FETCH-12, N02, CVE-2026-1180]") {
    Reader reader;
    reader.fetcher.takes = 200ms;
    reader.replies({std::string("no route")});
    reader.read();                       // asked
    reader.read();                       // remembered: neither asked nor held
    reader.read("http://app.example/");  // not fetched at all
    reader.replies({answer("bad")});
    reader.read("https://app.example/bad");  // fetched, and refused
    CHECK(reader.fetcher.waited == std::vector<std::chrono::nanoseconds>{1000ms, 1200ms});
    reader.replies({answer("one")});
    for (int i = 0; i < 5; ++i) reader.read("https://app.example/" + std::to_string(i));
    CHECK(reader.fetcher.waited.size() == 2);  // one too many is not held, either
}

TEST_CASE(
    "read_document: no more processes wait for hosts than there are slots, and a further one is answered [FETCH-11, N05]") {
    const TemporaryDirectory directory;
    Reader reader;
    reader.replies({answer("one")});
    reader.read();
    reader.now = kNow + Seconds{1000};
    reader.outbound.slot_files = directory / "postern.fetch";
    const std::string kBusy = "!as many fetches are under way as \"outbound.slots\" allows";
    {
        const auto held = os::Slot::acquire(reader.outbound.slot_files, 1, 0ms);  // another process waits for a host
        CHECK(reader.read("https://app.example/new") == kBusy);
        CHECK(reader.read("https://app.example/old", fetch::Occasion::renewal) == kBusy);
        CHECK(reader.read() == "one");  // stale: it is renewed by another request
        CHECK(reader.fetcher.asked.size() == 1);
        CHECK(count(reader.database, "SELECT count(*) FROM fetch_limits WHERE limit_key LIKE 'renewal%'") == 0);
        reader.outbound.slots = 2;
        CHECK(reader.read("https://app.example/new") == "one");
    }
    reader.outbound.slots = 1;
    CHECK(reader.read("https://app.example/newer") == "one");
    CHECK(reader.fetcher.waited.empty());
}

TEST_CASE(
    "read_document: while it waits for a host, and until a failure is answered, it keeps its slot [FETCH-11, N05]") {
    const TemporaryDirectory directory;
    Reader reader;
    reader.outbound.slot_files = directory / "postern.fetch";
    bool was_free = false;
    const auto look = [&] { was_free = os::Slot::acquire(reader.outbound.slot_files, 1, 0ms).has_value(); };
    reader.fetcher.on_ask = look;
    reader.read();
    CHECK_FALSE(was_free);
    reader.fetcher.on_ask = {};
    reader.fetcher.on_wait = look;
    was_free = true;
    reader.read("https://other.example/");
    CHECK_FALSE(was_free);
    look();
    CHECK(was_free);
}

TEST_CASE("read_document: slots that cannot be made are storage that fails") {
    Reader reader;
    reader.outbound.slot_files = "/nonexistent/postern.fetch";
    CHECK_THROWS_AS(reader.read(), db::StoreError);
}

TEST_CASE("read_document: fetches of one cause take no more than 20 s of a minute, and others go on [FETCH-11, N05]") {
    const auto url = [](int n) { return "https://h" + std::to_string(n) + ".example/"; };
    struct Row {
        const char* when;
        fetch::Occasion occasion;
        const char* of;
        const char* another;
        std::chrono::nanoseconds takes;
        fetch::Reply reply;
        int fetches;
        const char* refusal;
    };
    const char* const kOfAddress = "!the fetches that this address has asked for have taken 20 s of this minute";
    const char* const kOfUser = "!the fetches for the user who brought this client have taken 20 s of this minute";
    const fetch::Reply silent = std::string("no route");
    const Row rows[] = {
        {"an address, at silent hosts", fetch::Occasion::first, "192.0.2.1", "192.0.2.2", 5s, silent, 4, kOfAddress},
        {"an address, at hosts that refuse", fetch::Occasion::first, "192.0.2.1", "192.0.2.2", 1ms, answer("no", 500),
         20, kOfAddress},
        {"an address, at hosts that answer", fetch::Occasion::first, "192.0.2.1", "192.0.2.2", 1ms, answer("one"), 20,
         kOfAddress},
        {"a network of IPv6", fetch::Occasion::first, "2001:db8::1", "2001:db8:0:1::1", 5s, silent, 4, kOfAddress},
        {"a user, with 52 documents that fail", fetch::Occasion::renewal, "eve", "ada", 1ms, answer("no", 500), 20,
         kOfUser},
        {"a user, with documents on silent hosts", fetch::Occasion::renewal, "eve", "ada", 5s, silent, 4, kOfUser},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Reader reader;
        reader.fetcher.takes = row.takes;
        reader.replies({row.reply});
        int n = 0;
        for (; n < 52; ++n) reader.read(url(n), row.occasion, row.of);
        CHECK(reader.fetcher.asked.size() == static_cast<std::size_t>(row.fetches));
        CHECK(reader.read(url(++n), row.occasion, row.of) == row.refusal);
        reader.replies({answer("one")});
        CHECK(reader.read(url(++n), row.occasion, row.another) == "one");
        CHECK(reader.read(url(++n), row.occasion) == "one");  // of no one that is known
        reader.now += Seconds{60};
        CHECK(reader.read(url(++n), row.occasion, row.of) == "one");
    }
    Reader reader;
    reader.fetcher.takes = 5s;
    for (int n = 0; n < 4; ++n) reader.read(url(n), fetch::Occasion::first, "2001:db8::" + std::to_string(n));
    CHECK(reader.read(url(5), fetch::Occasion::first, "2001:db8::ffff:1") == kOfAddress);
}

TEST_CASE("read_document: strangers at silent hosts leave half of the time of a slot to renewals [FETCH-11, N05]") {
    for (const int slots : {1, 3}) {
        CAPTURE(slots);
        Reader reader;
        reader.outbound.slots = slots;
        reader.fetcher.takes = 5s;
        const auto stranger = [&](int n) {
            return reader.read("https://h" + std::to_string(n) + ".example/", fetch::Occasion::first,
                               "192.0.2." + std::to_string(n));
        };
        for (int n = 0; n < 30; ++n) stranger(n);
        CHECK(reader.fetcher.asked.size() == static_cast<std::size_t>(6 * slots));
        CHECK(stranger(40) ==
              "!fetches have taken half of this minute; \"outbound.slots\" is " + std::to_string(slots));
        reader.replies({answer("one")});
        CHECK(reader.read(kUrl, fetch::Occasion::renewal) == "one");
        reader.now += Seconds{60};
        CHECK(stranger(41) == "one");
    }
}

TEST_CASE(
    "read_document: a host that does not answer is left alone for 30 s, then for twice as long each time [FETCH-9, N05]") {
    Reader reader;
    reader.fetcher.takes = 2500ms;
    int n = 0;
    const auto read = [&] { return reader.read("https://app.example/" + std::to_string(++n)); };
    const std::string kSilent = "?its host has not answered, and is not asked again so soon";
    reader.replies({std::string("no route")});
    for (const int pause : {30, 60, 120, 240, 480, 480}) {
        CAPTURE(pause);
        CHECK(read() == "?no route");
        CHECK(read() == kSilent);
        CHECK(reader.read("https://other.example/" + std::to_string(n), fetch::Occasion::renewal) == "?no route");
        reader.now += Seconds{pause - 1};
        CHECK(read() == kSilent);
        reader.now += Seconds{1};
        reader.database.query("DELETE FROM fetch_limits WHERE limit_key LIKE 'renewal%'").execute();
    }
    reader.replies({answer("no", 500), std::string("no route")});
    CHECK(read() == "?the answer has status 500");  // it has answered, and is a new one
    CHECK(read() == "?no route");
    reader.now += Seconds{30};
    CHECK(read() == "?no route");
    reader.now += Seconds{120};  // the second silence is forgotten after as long again
    CHECK(read() == "?no route");
    reader.now += Seconds{30};
    reader.replies({answer("one")});
    CHECK(read() == "one");
}

TEST_CASE("read_document: a host that fails at once is not silent: it holds no process [FETCH-9]") {
    Reader reader;
    reader.fetcher.takes = 2499ms;
    reader.replies({std::string("the certificate has expired")});
    for (int n = 0; n < 3; ++n)
        CHECK(reader.read("https://app.example/" + std::to_string(n)) == "?the certificate has expired");
}

TEST_CASE("read_document: that strangers met a silent host keeps no document on it from renewal [FETCH-11]") {
    Reader reader;
    reader.fetcher.takes = 5s;
    reader.replies({std::string("no route"), answer("one")});
    CHECK(reader.read("https://app.example/hangs") == "?no route");
    CHECK(reader.read(kUrl, fetch::Occasion::renewal) == "one");
}

TEST_CASE("read_document: without a fetcher nothing is looked up and nothing waits [FETCH-1]") {
    Reader reader;
    const fetch::Source source{reader.database, kNow, nullptr, reader.outbound};
    const auto result =
        fetch::read_document(source, fetch::Purpose::client_document, kUrl, {fetch::Occasion::first}, check_good);
    REQUIRE_FALSE(result);
    CHECK(result.error().reason == "\"outbound\" is not enabled");
    CHECK(result.error().why == refusal::Reason::client_document_refused);
}

TEST_CASE("read_document: a URL that may not be fetched is neither asked nor counted [FETCH-4]") {
    Reader reader;
    CHECK(reader.read("https://app.example:8443/") == "?the port of the URL is not among \"outbound.ports\"");
    CHECK(reader.fetcher.asked.empty());
    CHECK(count(reader.database, "SELECT count(*) FROM fetch_limits") == 0);
}

TEST_CASE(
    "read_document: a use is written when the last one is an hour old, and the least recently used goes [FETCH-9]") {
    Reader reader;
    reader.replies({answer("one")});
    reader.fetcher.replies.front()->cache_control = "max-age=86400";
    reader.read();
    const auto used = [&] { return count(reader.database, "SELECT used_at FROM fetched"); };
    reader.now = kNow + Seconds{3599};
    reader.read();
    CHECK(used() == util::to_epoch(kNow));
    reader.now = kNow + Seconds{3600};
    reader.read();
    CHECK(used() == util::to_epoch(kNow + Seconds{3600}));
    CHECK(reader.fetcher.asked.size() == 1);
}

TEST_CASE("read_document: processes that ask at the same time are counted exactly [FETCH-11, N03]") {
    constexpr int kProcesses = 4;
    constexpr int kEach = 5;
    const TemporaryDirectory directory;
    const auto path = is_on_postgresql() ? empty_schema() : directory / "postern.db";
    if (!is_on_postgresql()) db::Database::create(path);
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
        children.push_back(start_child([&] {
            Reader reader{db::Database(path, db::Access::read_write, std::chrono::seconds(20))};
            reader.replies({answer("one")});
            for (int n = 0; n < kEach; ++n)
                reader.read("https://app.example/" + std::to_string(process) + "/" + std::to_string(n));
            return static_cast<int>(reader.fetcher.asked.size());
        }));
    }
    int asked = 0;
    for (const pid_t child : children) asked += exit_code_of(child);
    CHECK(asked == 6);
}

TEST_CASE("freshness: as the answer says, from five minutes to a day [FETCH-9, RFC 9111 §4.2.1]") {
    struct Row {
        const char* when;
        std::string cache_control;
        std::string expires;
        std::string date;
        std::string age;
        int seconds;
    };
    const std::string noon = "Sun, 06 Nov 1994 12:00:00 GMT";
    const std::string one = "Sun, 06 Nov 1994 13:00:01 GMT";
    const Row rows[] = {
        {"nothing", "", "", "", "", 3600},
        {"max-age", "max-age=1000", "", "", "", 1000},
        {"among others", "public, Max-Age=1000 , immutable", "", "", "", 1000},
        {"the least", "max-age=300", "", "", "", 300},
        {"less", "max-age=299", "", "", "", 300},
        {"none", "max-age=0", "", "", "", 300},
        {"the most", "max-age=86400", "", "", "", 86400},
        {"more", "max-age=86401", "", "", "", 86400},
        {"more than a number holds", "max-age=99999999999999999999", "", "", "", 86400},
        {"with an age", "max-age=1000", "", "", "400", 600},
        {"older than it may be", "max-age=1000", "", "", "2000", 300},
        {"an age that is none", "max-age=1000", "", "", "-5", 1000},
        {"not kept", "no-store, max-age=1000", "", "", "", 300},
        {"asked for again", "no-cache", "", "", "", 300},
        {"no number", "max-age=soon", "", "", "", 3600},
        {"a negative one", "max-age=-1", "", "", "", 3600},
        {"of shared caches", "s-maxage=1000", "", "", "", 3600},
        {"Expires behind Date", "", one, noon, "", 3601},
        {"max-age before Expires", "max-age=1000", one, noon, "", 1000},
        {"Expires before Date", "", noon, one, "", 300},
        {"Expires behind now, 11:59:00", "", one, "", "", 3661},
        {"Expires behind now, as Date is none", "", one, "yesterday", "", 3661},
        {"Expires that is no date", "", "0", noon, "", 300},
        {"Expires of an obsolete form", "", "Sunday, 06-Nov-94 13:00:00 GMT", noon, "", 300},
        {"a day that is not there", "", "Sun, 31 Nov 1994 12:00:00 GMT", noon, "", 300},
        {"another zone", "", "Sun, 06 Nov 1994 13:00:00 CET", noon, "", 300},
    };
    const util::Time now = util::from_epoch(784123140);  // 1994-11-06T11:59:00Z
    for (const Row& row : rows) {
        CAPTURE(row.when);
        fetch::Answer answer;
        answer.cache_control = row.cache_control;
        answer.expires = row.expires;
        answer.date = row.date;
        answer.age = row.age;
        CHECK(fetch::freshness(answer, now).count() == row.seconds);
    }
}
