#include "fetch/freshness.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;

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
