// What a slot of the ring of refusals says, and when it says nothing.
#include "server/refusal_record.h"

#include <doctest/doctest.h>

using namespace postern;
using server::RefusalRecord;

namespace {

RefusalRecord of_client(const std::string& client_id) {
    RefusalRecord record;
    record.client_id = client_id;
    return record;
}

std::string slot_of(std::uint64_t number, const std::string& detail) {
    RefusalRecord record;
    record.request_id = "id-" + std::to_string(number);
    record.error = record.reason = "invalid_grant";
    record.subject = "sub";
    record.detail = detail;
    return server::write_slot({number, record});
}

}  // namespace

TEST_CASE("parse_slot: whole slots of this version, of earlier ones and of later ones; nothing else") {
    struct Row {
        const char* when;
        std::string bytes;
        const char* request_id;  ///< nullptr: no record
    };
    const Row rows[] = {
        {"never written", std::string(server::kRingSlotBytes, '\0'), nullptr},
        {"version 1", R"({"n":7,"request_id":"old","time":1,"status":400,"error":"invalid_grant"})", "old"},
        {"version 2", slot_of(7, ""), "id-7"},
        {"a later version", R"({"n":7,"v":3,"request_id":"new","more":[],"end":7})", "new"},
        {"cut", R"({"n":7,"v":2,"request_id":"new","ti)", nullptr},
        {"two numbers", R"({"n":7,"v":2,"request_id":"new","end":6})", nullptr},
        {"the end of version 1 behind a new beginning", R"({"n":7,"v":2,"request_id":"new"})", nullptr},
        {"the end of version 2 behind an old beginning", R"({"n":7,"request_id":"old","end":3})", nullptr},
        {"no object", "[7]", nullptr},
        {"no JSON", "{{{{", nullptr},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const auto read = server::parse_slot(row.bytes);
        CHECK(read.has_value() == (row.request_id != nullptr));
        if (!read || !row.request_id) continue;
        CHECK(read->number == 7);
        CHECK(read->refusal.request_id == row.request_id);
    }
}

TEST_CASE("parse_slot: a slot in which a longer or a shorter record is being overwritten has no record") {
    const std::string before = slot_of(7, std::string(100, 'a'));
    for (const std::string& after : {slot_of(4103, std::string(100, 'b')), slot_of(4103, "b"), slot_of(4103, "")}) {
        int whole = 0;
        for (std::size_t written = 0; written <= after.size(); ++written) {
            const auto read = server::parse_slot(after.substr(0, written) + before.substr(written));
            if (!read) continue;
            const bool is_new = read->number == 4103;
            CHECK(read->refusal.request_id == (is_new ? "id-4103" : "id-7"));
            CHECK(read->refusal.detail.find(is_new ? 'a' : 'b') == std::string::npos);
            ++whole;
        }
        CHECK(whole > 1);
    }
}

TEST_CASE("write_slot: a subject is kept whole or not at all") {
    RefusalRecord record;
    for (const auto& [sent, kept] :
         {std::pair{std::string(64, 's'), std::string(64, 's')}, {std::string(65, 's'), ""}}) {
        record.subject = sent;
        const auto read = server::parse_slot(server::write_slot({1, record}));
        REQUIRE(read);
        CHECK(read->refusal.subject == kept);
    }
}

TEST_CASE("is_of_client: also of an id that was kept in part") {
    const std::string url = "https://app.example/" + std::string(200, 'a');
    struct Row {
        std::string kept;
        std::string asked;
        bool matches;
    };
    const Row rows[] = {
        {"wiki", "wiki", true},
        {"wiki", "wik", false},
        {"wiki", "wiki2", false},
        {"wiki", "Wiki", false},
        {"", "wiki", false},
        {"mistyped-app...", "mistyped-application", true},
        {"mistyped-app...", "mistyped-app", false},
        {"mistyped-app...", "mistyped-apples", true},  // which it was is not known
        {"mistyped-app...", "another-application", false},
        {url.substr(0, 128), url, true},
        {url.substr(0, 127), url, false},
        {url, url.substr(0, 128), false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.kept);
        CAPTURE(row.asked);
        CHECK(server::is_of_client(of_client(row.kept), row.asked) == row.matches);
    }
}
