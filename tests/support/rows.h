// A short list as a whole.
#pragma once

#include <vector>

#include "db/rows.h"

namespace postern::test {

template <class Row>
std::vector<Row> all_of(db::Rows<Row> rows) {
    std::vector<Row> all;
    for (const Row& each : rows) all.push_back(each);
    return all;
}

}  // namespace postern::test
