// Whether two answers are the same to a browser.
#pragma once

#include <string>

#include "support/answer.h"

namespace postern::test {

/// Status, headers and body, without the id of the request.
inline std::string whole(const Answer& answer) {
    std::string text = std::to_string(answer.status) + "\n";
    for (const auto& [header, value] : answer.headers)
        if (header != "X-Request-Id") text += header + ": " + value + "\n";
    return text + answer.body;
}

}  // namespace postern::test
