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

    /// With the files that all pages splice in: an operator changes them there, or says it in `branding`
    /// (web/branding.h, which says what is thrown). What is parsed at once is parsed for the last resort of
    /// `languages`.
    TemplateReader(std::string directory, const Branding& branding, std::shared_ptr<const text::Languages> languages,
                   Parsing parsing);

    /// The same with more files to splice in. Throws what read_template_file throws.
    TemplateReader with(const std::vector<const char*>& names, Missing missing = Missing::refused) const;

    /// Throws what read_template_file and Template throw.
    Template operator()(const std::string& name, Scripts scripts = Scripts::none) const;

    const std::shared_ptr<const text::Languages>& languages() const { return languages_; }

private:
    std::string directory_;
    std::shared_ptr<const Partials> partials_;
    std::shared_ptr<const text::Languages> languages_;
    Parsing parsing_;
};

}  // namespace postern::pages
