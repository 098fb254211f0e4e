// Entries of a password list leave in order, or a long list is refused.
#include "factor/entry_order.h"

#include <doctest/doctest.h>

using namespace postern;
using Entries = std::vector<factor::PasswordEntry>;

namespace {

/// What comes out of a list where four are held; nullopt when it is refused.
std::optional<Entries> ordered(const Entries& list) {
    Entries out;
    factor::EntryOrder order(4, [&](factor::PasswordEntry entry) { out.push_back(entry); });
    for (const auto entry : list)
        if (!order.add(entry)) return std::nullopt;
    order.finish();
    return out;
}

}  // namespace

TEST_CASE("EntryOrder: a short list in any order, a long one in order, each entry once [PASSWORD-3]") {
    struct Row {
        const char* what;
        Entries list;
        std::optional<Entries> out;
    };
    const Row rows[] = {
        {"none", {}, Entries{}},
        {"one", {7}, Entries{7}},
        {"as many as are held, in any order", {9, 3, 9, 0}, Entries{0, 3, 9}},
        {"more, in order", {0, 1, 2, 3, 4, 5}, Entries{0, 1, 2, 3, 4, 5}},
        {"more, some twice", {1, 1, 2, 3, 3, 3, 4, 4}, Entries{1, 2, 3, 4}},
        {"more, and what is held is out of order", {2, 1, 3, 4, 5}, {}},
        {"more, and the first that is not held is out of order", {1, 2, 3, 4, 3}, {}},
        {"more, and a later one is out of order", {1, 2, 3, 4, 6, 5}, {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        CHECK((ordered(row.list) == row.out));
    }
}
