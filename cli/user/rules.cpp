// Checks user names.
#include "cli/user/rules.h"

#include "cli/command.h"
#include "model/user_name.h"
#include "util/text.h"

namespace postern::cli {

void require_username(const std::string& name) {
    if (model::is_new_user_name(name)) return;
    if (model::is_user_name(name))
        throw Refused(
            "the user name has an invisible character, such as U+200B or U+FEFF, or begins or ends with white space "
            "other than a space; remove it");
    if (model::is_user_name(util::trim(name))) throw Refused("the user name begins or ends with a space; remove it");
    throw Refused("the user name must be 1 to 128 bytes of UTF-8 text without control and direction characters");
}

}  // namespace postern::cli
