// An initial access token, with which clients may register themselves (RFC 7591 §3).
#pragma once

#include <cstdint>
#include <string>

#include "model/ids.h"
#include "util/clock.h"

namespace postern::model {

struct RegistrationToken {
    std::string id;  ///< by which the operator names it
    ValueHash token_hash;
    std::string name;            ///< whom the operator gave it to; "": not said
    std::int64_t uses_left = 1;  ///< registrations
    util::Time created_at{};
    util::Time expires_at{};

    bool operator==(const RegistrationToken&) const = default;
};

}  // namespace postern::model
