// What may be the name of a user?
#include "model/user_name.h"

#include <cstddef>

#include "util/text.h"
#include "util/utf8.h"
#include "util/visible.h"

namespace postern::model {
namespace {

constexpr std::size_t kMaxUserNameBytes = 128;

/// RFC 5892 appendix A.1 and A.2.
bool is_joiner(char32_t code_point) { return code_point == 0x200C || code_point == 0x200D; }

}  // namespace

bool is_user_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxUserNameBytes && util::is_utf8(name) &&
           util::displayable(name) == name && util::trim(name) == name;
}

bool is_new_user_name(std::string_view name) {
    if (!is_user_name(name)) return false;
    bool at_the_start = true;
    bool seen = false;  // the character before the place that is looked at can be seen
    while (!name.empty()) {
        const auto step = util::next_utf8(name);
        const char32_t code_point = step.code_point.value_or(0);
        if (util::is_ignorable(code_point) && !is_joiner(code_point)) return false;
        seen = !is_joiner(code_point) && !util::is_blank(code_point);
        if (at_the_start && !seen) return false;
        at_the_start = false;
        name.remove_prefix(step.length);
    }
    return seen;
}

}  // namespace postern::model
