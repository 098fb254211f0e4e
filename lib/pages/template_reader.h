// The templates of one directory, with what an operator has changed there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pages/settings.h"
#include "pages/template.h"
#include "text/languages.h"

namespace postern::pages {

/// When templates are parsed. A process that answers many requests finds a faulty one before the first of them; one
/// that answers a single request shows a single page of its program.
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

}  // namespace postern::pages
