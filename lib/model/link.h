// A link that the operator hands to a user, or that a mail brings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "util/clock.h"

namespace postern::model {

/// The purpose of opening a link.
enum class LinkPurpose {
    invite,    ///< the first password
    password,  ///< another password
    factors,   ///< another password, and every second factor is removed
    email,     ///< another e-mail address, which the link was sent to
};
std::string_view to_string(LinkPurpose purpose);
std::optional<LinkPurpose> parse_link_purpose(std::string_view name);

/// The link itself has 256 random bits, of which the digest is kept.
struct Link {
    ValueHash token_hash;
    LinkPurpose purpose = LinkPurpose::invite;
    Subject subject;
    std::string made_by;  ///< the user of the machine who ran the command
    util::Time created_at{};
    util::Time expires_at{};            ///< from then on it does nothing
    std::optional<util::Time> used_at;  ///< set: it has done what it is for
    std::string email = {};             ///< where it was sent; "": the operator was shown it

    bool operator==(const Link&) const = default;
};

}  // namespace postern::model
