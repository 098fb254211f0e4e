// Files and programs of the operator that others may have made: imports, catalogues, saslauthd.
#include <optional>
#include <stdexcept>
#include <string>

#include "cli/command.h"
#include "cli/user/import_file.h"
#include "fuzz/targets.h"
#include "login/saslauthd.h"
#include "model/user.h"
#include "text/catalogue.h"
#include "text/message.h"

namespace postern::test {
namespace {

std::optional<text::MoFile> open(std::string_view bytes) {
    try {
        return text::MoFile(bytes);
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

}  // namespace

FUZZ_TARGET(mo_file) {
    const auto file = open(input);
    if (!file) return;
    const text::Catalogue shipped("de", &*file, nullptr);
    for (std::size_t i = 0; i < file->size(); ++i) {
        const auto key = file->key(i);
        if (!key) continue;
        if (const auto found = file->find(*key))
            promise(found->data() >= input.data() && found->data() + found->size() <= input.data() + input.size(),
                    "a translation lies within the file");
        const std::string english(key->substr(key->find('\4') + 1));
        text::fault_of_translation(english, shipped.translate(english));
        shipped.say({english.c_str(), {{"count", text::Message::number(3)}}});
    }
}

FUZZ_TARGET(user_import) {
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

FUZZ_TARGET(saslauthd_reply) {
    using login::SaslauthdReply;
    const SaslauthdReply reply = login::parse_saslauthd_reply(input);
    const SaslauthdReply longer = login::parse_saslauthd_reply(std::string(input) + 'x');
    if (reply == SaslauthdReply::incomplete) {
        promise(input.size() < login::kLongestSaslauthdReply, "the longest reply is complete");
        return;
    }
    promise(longer == SaslauthdReply::unusable, "nothing can be added to what is complete");
    if (reply == SaslauthdReply::unusable) return;
    promise(input.size() >= 4 && input.size() <= login::kLongestSaslauthdReply, "an answer has bounds");
    promise(input.substr(2, 2) == (reply == SaslauthdReply::yes ? "OK" : "NO"), "an answer begins with its word");
    promise(login::parse_saslauthd_reply(input.substr(0, input.size() - 1)) == SaslauthdReply::incomplete,
            "each byte counts");
}

}  // namespace postern::test
