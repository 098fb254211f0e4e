// Decides which names a client may give itself: people judge an application by its name, and it is any text.
#include "oauth/registered_name.h"

#include <vector>

#include "oauth/registration.h"
#include "util/text.h"
#include "util/utf8.h"
#include "util/visible.h"

namespace postern::oauth {
namespace {

constexpr std::size_t kMostMarks = 2;
constexpr char32_t kNonJoiner = 0x200C;
constexpr char32_t kJoiner = 0x200D;

std::vector<char32_t> characters_of(std::string_view utf8) {
    std::vector<char32_t> characters;
    while (!utf8.empty()) {
        const util::Utf8Step step = util::next_utf8(utf8);
        characters.push_back(step.code_point.value_or(0));
        utf8.remove_prefix(step.length);
    }
    return characters;
}

bool is_ascii(char32_t character) { return character < 0x80; }

/// A letter of a script, or a mark on one. ASCII has its letters; beyond it, what can be seen is taken for one.
bool is_letter(char32_t character) {
    if (is_ascii(character)) return util::is_letter(static_cast<char>(character));
    return !util::is_ignorable(character) && !util::is_blank(character) && !util::is_control(character) &&
           !util::is_format(character);
}

/// Persian and the scripts of India need joiners; between two ASCII letters they only make one name look like another.
bool is_needed_joiner(const std::vector<char32_t>& name, std::size_t at) {
    if (name[at] != kNonJoiner && name[at] != kJoiner) return false;
    if (at == 0 || at + 1 == name.size()) return false;
    const char32_t before = name[at - 1];
    const char32_t behind = name[at + 1];
    return is_letter(before) && is_letter(behind) && !(is_ascii(before) && is_ascii(behind));
}

/// Variation selectors, which are marks, choose how the character before them is drawn.
bool is_invisible(char32_t character) {
    return util::is_format(character) || (util::is_ignorable(character) && !util::is_combining_mark(character));
}

bool has_invisible(const std::vector<char32_t>& name) {
    for (std::size_t at = 0; at < name.size(); ++at)
        if (is_invisible(name[at]) && !is_needed_joiner(name, at)) return true;
    return false;
}

bool has_tall_stack(const std::vector<char32_t>& name) {
    std::size_t marks = 0;
    for (const char32_t character : name) {
        if (util::is_combining_mark(character)) {
            if (++marks > kMostMarks) return true;
        } else if (!util::is_ignorable(character)) {  // a joiner does not end the stack
            marks = 0;
        }
    }
    return false;
}

}  // namespace

std::optional<std::string> registered_name_problem(std::string_view name) {
    if (name.empty() || name.size() > kMaxClientNameBytes || !util::is_utf8(name))
        return "must have 1 to 256 bytes of UTF-8";
    const auto characters = characters_of(name);
    if (has_invisible(characters)) return "has an invisible character";
    if (has_tall_stack(characters)) return "has more than two combining marks in a row";
    if (util::displayable(name) != name) return "has a control or direction character, or a separator of lines";
    if (!util::can_be_seen(name)) return "has no character that can be seen";
    return std::nullopt;
}

}  // namespace postern::oauth
