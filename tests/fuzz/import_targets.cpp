// Files that an operator was given by somebody else.
#include <string>

#include "cli/command.h"
#include "cli/user/import_line.h"
#include "fuzz/targets.h"
#include "model/user_name.h"

namespace postern::test {

void fuzz_user_import(std::string_view input) {
    const cli::ImportFormat formats[] = {cli::ImportFormat::htpasswd, cli::ImportFormat::json_lines,
                                         cli::format_of(input)};
    for (const cli::ImportFormat format : formats) {
        if (cli::is_blank_line(format, input)) continue;
        cli::ImportedUser user;
        try {
            cli::parse_import_line(format, input, user);
        } catch (const cli::Refused&) {
            continue;
        }
        promise(!user.username.empty(), "an imported user has a name");
        promise(!(user.password_hash && user.password), "a hash or a password, not both");
        if (user.password_hash) promise(user.password_hash->starts_with("$"), "a hash says what it is");
    }
}

}  // namespace postern::test
