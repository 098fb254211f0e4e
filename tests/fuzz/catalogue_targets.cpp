// Compiled catalogues: those of an operator's own are made by tools that are not ours.
#include <optional>
#include <stdexcept>
#include <string>

#include "fuzz/targets.h"
#include "text/catalogue.h"
#include "text/message.h"
#include "text/mo_file.h"

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

void fuzz_mo_file(std::string_view input) {
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

}  // namespace postern::test
