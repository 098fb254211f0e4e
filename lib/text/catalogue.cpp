#include "text/catalogue.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "text/language_tag.h"
#include "text/message.h"
#include "util/text.h"
#include "util/visible.h"

namespace postern::text {
namespace {

constexpr std::uint32_t kMagic = 0x950412de;
constexpr std::size_t kHeaderSize = 28;
constexpr std::size_t kEntrySize = 8;  // length and offset of a string

[[noreturn]] void refuse(const char* why) { throw std::runtime_error(why); }

constexpr char kEndOfContext = '\4';  // of gettext

constexpr const char* kNameOfLanguage = tr("English");  // each catalogue says its own name

/// The tags that a message may have. They have no attributes.
constexpr std::array<std::string_view, 6> kTags = {"<strong>", "</strong>", "<bdi>", "</bdi>", "<code>", "</code>"};

bool is_name(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return util::is_letter(c) || util::is_digit(c) || c == '_'; });
}

/// The {placeholders} and tags of a message, sorted, whether something else in it has their signs, and whether each tag
/// is closed by its own end, before the one around it is.
struct Marks {
    std::vector<std::string> found;
    bool has_other = false;
    bool nests = true;
};

/// Whether `tag` may stand behind the tags that are `open`, which it adds to or takes from.
bool nests(std::vector<std::string_view>& open, std::string_view tag) {
    const bool ends = tag.starts_with("</");
    if (!ends) {
        open.push_back(tag.substr(1));
    } else if (!open.empty() && open.back() == tag.substr(2)) {
        open.pop_back();
    } else {
        return false;
    }
    return true;
}

Marks marks_of(std::string_view text) {
    Marks marks;
    std::vector<std::string_view> open;
    while (!text.empty()) {
        const auto at = text.find_first_of("{}<>");
        if (at == std::string_view::npos) break;
        text.remove_prefix(at);
        const auto end = text.find(text[0] == '{' ? '}' : '>');
        const std::string_view mark = text.substr(0, end == std::string_view::npos ? 1 : end + 1);
        const bool is_placeholder = text[0] == '{' && mark.size() > 2 && is_name(mark.substr(1, mark.size() - 2));
        if (!is_placeholder && std::ranges::find(kTags, mark) == kTags.end()) marks.has_other = true;
        if (mark.front() == '<' && !nests(open, mark)) marks.nests = false;
        marks.found.emplace_back(mark);
        text.remove_prefix(mark.size());
    }
    if (!open.empty()) marks.nests = false;
    std::ranges::sort(marks.found);
    return marks;
}

}  // namespace

MoFile::MoFile(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < kHeaderSize) refuse("is too short for a catalogue");
    if (number_at(0) != kMagic) big_endian_ = true;
    if (number_at(0) != kMagic) refuse("is not a compiled catalogue (msgfmt makes one)");
    if (number_at(4) != 0) refuse("is a catalogue of another revision than 0");
    count_ = number_at(8);
    keys_ = number_at(12);
    translations_ = number_at(16);
    for (const std::size_t table : {keys_, translations_})
        if (table > bytes.size() || (bytes.size() - table) / kEntrySize < count_) refuse("is a catalogue that was cut");
}

std::uint32_t MoFile::number_at(std::size_t offset) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t at = offset + (big_endian_ ? i : 3 - i);
        number = number << 8 | static_cast<unsigned char>(bytes_[at]);
    }
    return number;
}

std::optional<std::string_view> MoFile::string_at(std::size_t table, std::size_t index) const {
    const std::size_t length = number_at(table + index * kEntrySize);
    const std::size_t offset = number_at(table + index * kEntrySize + 4);
    if (offset > bytes_.size() || length > bytes_.size() - offset) return std::nullopt;
    return bytes_.substr(offset, length);
}

std::optional<std::string_view> MoFile::find(std::string_view key) const {
    std::size_t low = 0;
    std::size_t high = count_;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const auto found = string_at(keys_, middle);
        if (!found) return std::nullopt;
        const int order = found->compare(key);
        if (order == 0) return string_at(translations_, middle);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return std::nullopt;
}

Catalogue::Catalogue(std::string tag, const MoFile* shipped, const MoFile* own)
    : tag_(std::move(tag)), shipped_(shipped), own_(own) {}

const char* Catalogue::direction() const { return is_right_to_left(tag_) ? "rtl" : "ltr"; }

std::string Catalogue::name() const { return translate(kNameOfLanguage); }

std::string Catalogue::translate(std::string_view english) const {
    if (own_ != nullptr)
        if (const auto own = own_->find(english); own && !own->empty()) return std::string(*own);
    if (shipped_ != nullptr) {
        const auto shipped = shipped_->find(tag_ + kEndOfContext + std::string(english));
        if (shipped && !shipped->empty()) return std::string(*shipped);
    }
    return std::string(english);
}

std::string Catalogue::value_in_sentence(const Message& value) const {
    const std::string said = say(value);
    const bool is_of_the_sentence = value.kind_ == Message::Kind::translated || value.kind_ == Message::Kind::digits;
    if (is_of_the_sentence || said.empty() || !(is_right_to_left(tag_) || util::reaches_out(said))) return said;
    const std::string_view begin = value.kind_ == Message::Kind::data ? kLeftToRight : kOwnDirection;
    return std::string(begin).append(said).append(kEndsIsolate);
}

std::string Catalogue::say(const Message& message) const {
    if (message.kind_ == Message::Kind::in_languages) {
        const auto& texts = message.by_language_;
        std::vector<std::string> tags;
        for (const auto& [tag, words] : texts) tags.push_back(tag);
        const auto found = find_language({tag_}, tags);
        if (texts.empty()) return "";
        return util::displayable(std::next(texts.begin(), static_cast<std::ptrdiff_t>(found.value_or(0)))->second);
    }
    if (message.kind_ != Message::Kind::translated) return util::displayable(message.text_);
    if (message.text_.empty()) return "";  // the key of a catalogue's own header
    const std::string words = util::displayable(translate(message.text_));
    std::string said;
    std::string_view rest = words;
    for (auto open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
        const auto close = rest.find('}', open);
        if (close == std::string_view::npos) break;
        const std::string_view name = rest.substr(open + 1, close - open - 1);
        const auto value =
            std::ranges::find_if(message.values_, [&](const auto& candidate) { return candidate.first == name; });
        said.append(rest.substr(0, open));
        const bool is_all = name.size() + 2 == words.size();  // a link on its own line can be copied as it is
        if (value == message.values_.end())
            said.append(rest.substr(open, close - open + 1));
        else
            said.append(is_all ? say(value->second) : value_in_sentence(value->second));
        rest.remove_prefix(close + 1);
    }
    return said.append(rest);
}

std::string fault_of_translation(std::string_view english, std::string_view translation) {
    const Marks expected = marks_of(english);
    const Marks found = marks_of(translation);
    if (!util::is_utf8(translation)) return "is not UTF-8";
    if (found.has_other) return "has a brace or an angle bracket that is neither a placeholder nor a tag";
    if (found.found != expected.found) return "has other placeholders or tags than the text";
    if (!found.nests) return "has tags that do not end in the order in which they begin";
    if (translation.empty() || translation.front() == ' ' || translation.back() == ' ' ||
        util::has_control_bytes(translation))
        return "begins or ends with a blank, has a line end, or is empty";
    if (util::displayable(translation) != translation) return "has controls of the direction of text";
    return "";
}

}  // namespace postern::text
