// Decides what may be the name of a user.
#include "user_rules.h"

#include "command.h"
#include "util/text.h"

namespace postern::cli {
namespace {

constexpr std::size_t kMaxUsernameBytes = 128;

}  // namespace

void require_username(const std::string& name) {
    const bool fits =
        !name.empty() && name.size() <= kMaxUsernameBytes && util::is_utf8(name) && util::displayable(name) == name;
    if (!fits)
        throw Refused("the user name must be 1 to 128 bytes of UTF-8 text without control and direction characters");
    // A blank at either end cannot be seen when it is typed.
    if (util::trim(name) != name) throw Refused("the user name begins or ends with a blank; remove it");
}

}  // namespace postern::cli
