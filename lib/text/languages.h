// The languages that pages are shown in.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/read_file.h"
#include "text/catalogue.h"

namespace postern::text {

/// The wishes of a person or a client about the language of a page.
struct LanguageWishes {
    std::optional<std::string> ui_locales;  ///< of the request
    std::optional<std::string> chosen;      ///< a tag: by the links of the pages
    std::optional<std::string> locale;      ///< a tag: the claim of the signed-in user
    std::string accept_language;            ///< the header
};

/// The languages that are offered. They are opened once, before the process gives up the right to open files. A
/// language is read when a page is shown in it.
class Languages {
public:
    /// Offers English alone.
    Languages();
    /// Opens `directory`/languages.mo and the operator's own catalogues, `directory`/po/LANG.mo, if they exist. Offers,
    /// of the shipped languages and English, the languages of `wanted`, or all for an empty list; `last_resort` is one
    /// of them. Throws std::runtime_error naming the file that cannot be used, or the wanted language that is not
    /// there.
    Languages(const std::string& directory, const std::vector<std::string>& wanted, const std::string& last_resort);

    /// Returns the offered languages, at least one, in the order of their tags.
    const std::deque<Catalogue>& offered() const { return offered_; }
    std::vector<std::string> tags() const;
    /// Returns the offered language of that tag; nullptr when it is not offered.
    const Catalogue* find(std::string_view tag) const;
    /// Returns the first offered language among the wishes of the request, the person's choice, the claim of the user
    /// and the browser, in this order; else the last resort.
    const Catalogue& choose(const LanguageWishes& wishes) const;
    const Catalogue& last_resort() const { return offered_[last_resort_]; }
    /// Returns what was left out of the operator's catalogues, and why: for the log.
    const std::vector<std::string>& warnings() const { return warnings_; }
    /// The digest of the English texts for which languages.mo was made (scripts/digest-messages); "" when it does not
    /// say. nullopt: there is no such file.
    std::optional<std::string> messages() const;

private:
    struct Opened {
        explicit Opened(os::MappedFile file) : bytes(std::move(file)), messages(bytes.bytes()) {}

        os::MappedFile bytes;
        MoFile messages;
    };
    const MoFile* open(const std::string& path);
    const MoFile* open_own(const std::string& path);
    void warn_of_others(const std::string& own);

    std::deque<Opened> files_;  // MoFile is a view of its neighbour
    const MoFile* shipped_ = nullptr;
    std::deque<Catalogue> offered_;
    std::size_t last_resort_ = 0;
    std::vector<std::string> warnings_;
};

}  // namespace postern::text
