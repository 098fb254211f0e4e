#include "text/languages.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "text/language_tag.h"
#include "util/text.h"

namespace postern::text {
namespace {

constexpr const char* kEnglish = "en";
constexpr std::size_t kMaxFileSize = std::size_t{8} * 1024 * 1024;

/// Lines of the header of languages.mo, beside gettext's own: the tags of its languages, with blanks between them, and
/// the digest of the English texts.
constexpr std::string_view kLanguagesLine = "X-Languages: ";
constexpr std::string_view kMessagesLine = "X-Messages: ";

[[noreturn]] void throw_unusable(const std::string& path, const std::string& why) {
    throw std::runtime_error("catalogue " + path + " " + why);
}

/// Returns the value of the header line `name`; "" without that line.
std::string_view header_line(const MoFile& shipped, std::string_view name) {
    for (const std::string_view line : util::split(shipped.find("").value_or(""), '\n'))
        if (line.starts_with(name)) return line.substr(name.size());
    return "";
}

/// Returns the fault of the first unusable message of an operator's catalogue; "" without one.
std::string fault_of(const MoFile& messages) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto english = messages.key(i);
        const auto translation = english ? messages.find(*english) : std::nullopt;
        if (!translation) return "is cut, or its messages are not sorted";
        if (english->empty()) continue;  // the header
        const std::string fault = fault_of_translation(*english, *translation);
        if (!fault.empty()) return "cannot be used: the translation of \"" + std::string(*english) + "\" " + fault;
    }
    return "";
}

}  // namespace

Languages::Languages() { offered_.emplace_back(); }

Languages::Languages(const std::string& directory, const std::vector<std::string>& wanted,
                     const std::string& last_resort) {
    shipped_ = open(directory + "/languages.mo");
    std::vector<std::string> tags;
    if (shipped_ != nullptr) tags = wanted_languages(header_line(*shipped_, kLanguagesLine));
    tags.emplace_back(kEnglish);
    std::ranges::sort(tags);
    for (const std::string& tag : wanted)
        if (std::ranges::find(tags, tag) == tags.end())
            throw std::runtime_error("there is no catalogue for \"" + tag + "\" in " + directory + "/languages.mo");
    const std::string own = directory + "/po";
    const bool has_own = std::filesystem::is_directory(own);
    for (const std::string& tag : tags) {
        if (!wanted.empty() && std::ranges::find(wanted, tag) == wanted.end()) continue;
        // English stands in the program and the templates.
        offered_.emplace_back(tag, tag == kEnglish ? nullptr : shipped_,
                              has_own ? open_own(own + "/" + tag + ".mo") : nullptr);
    }
    if (has_own) warn_of_others(own);
    const auto last = std::ranges::find(offered_, last_resort, &Catalogue::tag);
    if (last == offered_.end())
        throw std::runtime_error("there is no catalogue for \"" + last_resort + "\" in " + directory + "/languages.mo");
    last_resort_ = static_cast<std::size_t>(last - offered_.begin());
}

/// nullptr when it is not there.
const MoFile* Languages::open(const std::string& path) {
    auto file = os::MappedFile::open(path, kMaxFileSize);
    if (!file && file.error().number == ENOENT) return nullptr;
    if (!file) throw_unusable(path, file.error().meaning());
    try {
        return &files_.emplace_back(std::move(*file)).messages;
    } catch (const std::runtime_error& error) {
        throw_unusable(path, error.what());
    }
}

/// An operator's catalogue that is faulty is left out: its pages stay as they are shipped.
const MoFile* Languages::open_own(const std::string& path) {
    std::string fault;
    try {
        const MoFile* messages = open(path);
        if (messages == nullptr) return nullptr;
        fault = fault_of(*messages);
        if (fault.empty()) return messages;
        fault = "catalogue " + path + " " + fault;
    } catch (const std::runtime_error& error) {
        fault = error.what();
    }
    warnings_.push_back(std::move(fault));
    return nullptr;
}

/// An operator who has translated words of a language that is not offered should know that no page shows them.
void Languages::warn_of_others(const std::string& own) {
    std::error_code error;  // it only warns
    for (std::filesystem::directory_iterator entry(own, error), end; !error && entry != end; entry.increment(error)) {
        const std::filesystem::path& path = entry->path();
        if (path.extension() == ".mo" && find(path.stem().string()) == nullptr)
            warnings_.push_back("catalogue " + path.string() + " is of a language that is not offered");
    }
}

std::optional<std::string> Languages::messages() const {
    if (shipped_ == nullptr) return std::nullopt;
    return std::string(header_line(*shipped_, kMessagesLine));
}

std::vector<std::string> Languages::tags() const {
    std::vector<std::string> tags;
    for (const Catalogue& catalogue : offered_) tags.push_back(catalogue.tag());
    return tags;
}

const Catalogue* Languages::find(std::string_view tag) const {
    const auto found = std::ranges::find(offered_, tag, &Catalogue::tag);
    return found == offered_.end() ? nullptr : &*found;
}

const Catalogue& Languages::choose(const LanguageWishes& wishes) const {
    const auto tag_of = [](const std::optional<std::string>& wish) {
        return wish ? std::vector{*wish} : std::vector<std::string>();
    };
    std::vector<std::string> ranges = wanted_languages(wishes.ui_locales.value_or(""));
    for (const auto& more : {tag_of(wishes.chosen), tag_of(wishes.locale), accepted_languages(wishes.accept_language)})
        ranges.insert(ranges.end(), more.begin(), more.end());
    return offered_[find_language(ranges, tags()).value_or(last_resort_)];
}

}  // namespace postern::text
