// What may be the name of a user?
#include "model/user_name.h"

#include "util/text.h"

namespace postern::model {
namespace {

constexpr std::size_t kMaxUserNameBytes = 128;

}  // namespace

bool is_user_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxUserNameBytes && util::is_utf8(name) &&
           util::displayable(name) == name && util::trim(name) == name;
}

}  // namespace postern::model
