// The templates of one directory, with what an operator has changed there, shown in one of the languages that are
// offered.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/message.h"
#include "pages/settings.h"
#include "pages/template.h"
#include "text/languages.h"
#include "text/message.h"

namespace postern::pages {

/// The time at which templates are parsed. A process that answers many requests finds a faulty one before the first of
/// them; one that answers a single request shows a single page of its program.
enum class Parsing { at_once, when_shown };

/// Reads the templates of one directory.
class TemplateReader {
public:
    enum class Missing { refused, left_out };

    /// Reads the files that all pages splice in: an operator changes them there, or says it in `branding`
    /// (pages/branding.h, which says what is thrown). Templates that are parsed at once are parsed for the last
    /// resort of `languages`.
    TemplateReader(std::string directory, const Branding& branding, std::shared_ptr<const text::Languages> languages,
                   Parsing parsing);

    /// Returns a reader with more files to splice in. Throws as read_template_file().
    TemplateReader with(const std::vector<const char*>& names, Missing missing = Missing::refused) const;

    /// Reads a template. Throws as read_template_file() and Template do.
    Template operator()(const std::string& name, Scripts scripts = Scripts::none) const;

    const std::shared_ptr<const text::Languages>& languages() const { return languages_; }

private:
    std::string directory_;
    std::shared_ptr<const Partials> partials_;
    std::shared_ptr<const text::Languages> languages_;
    Parsing parsing_;
};

/// The parameter of a page with which its reader chooses another language.
inline constexpr const char* kLanguageParameter = "lang";

class Renderer {
public:
    /// Both must outlive it.
    Renderer(const text::Languages& languages, const text::Catalogue& language)
        : languages_(languages), language_(language) {}

    /// Says the message in this language, with values that cannot reorder or cover the sentence around them
    /// (text::Catalogue::say).
    std::string say(const text::Message& message) const;

    /// Returns the page in this language, with links to the others: `languages` with `tag`, `name` and `url`,
    /// which keeps the value `resume` and, by its name, the `state_parameter` of the page. Where others are offered the
    /// answer says that it depends on the reader. `frame_sources` as in http::html.
    http::Response respond(const Template& page, Values values, int status,
                           const std::vector<std::string>& frame_sources = {}) const;

private:
    const text::Languages& languages_;
    const text::Catalogue& language_;
};

/// Pages of the kind P in each language, each made when it is wanted first.
template <typename P>
class InLanguages {
public:
    using Make = std::function<std::unique_ptr<const P>(const text::Catalogue&)>;
    InLanguages(std::shared_ptr<const text::Languages> languages, Make make)
        : languages_(std::move(languages)), make_(std::move(make)) {}

    const std::shared_ptr<const text::Languages>& languages() const { return languages_; }

    const P& in(const text::Catalogue& language) const {
        std::unique_ptr<const P>& pages = made_[language.tag()];
        if (!pages) pages = make_(language);
        return *pages;
    }

private:
    std::shared_ptr<const text::Languages> languages_;
    Make make_;
    mutable std::map<std::string, std::unique_ptr<const P>> made_;
};

/// A base for what makes pages of the kind P with the templates T, which are read by T(const TemplateReader&).
template <typename P, typename T>
class FromTemplates : public P {
public:
    using Interface = P;
    using Templates = T;

    FromTemplates(std::shared_ptr<const T> templates, const Renderer& renderer)
        : templates_(std::move(templates)), renderer_(renderer) {}

protected:
    const std::shared_ptr<const T> templates_;
    const Renderer renderer_;
};

/// Returns the pages that `Made`, a FromTemplates, makes in each language of `read`. Throws as reading the templates.
template <typename Made>
std::unique_ptr<const InLanguages<typename Made::Interface>> in_languages(const TemplateReader& read) {
    const auto templates = std::make_shared<const typename Made::Templates>(read);
    return std::make_unique<const InLanguages<typename Made::Interface>>(
        read.languages(), [templates, languages = read.languages()](const text::Catalogue& language) {
            return std::make_unique<const Made>(templates, Renderer(*languages, language));
        });
}

}  // namespace postern::pages
