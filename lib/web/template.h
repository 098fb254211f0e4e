// What an HTML template may contain, and how values get into it: escaped, once, never read again as template text.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "oauth/branding.h"
#include "text/catalogue.h"
#include "text/message.h"

namespace postern::web {

/// What a template is given. A name that is missing prints nothing.
struct Values {
    std::map<std::string, std::string> texts;          ///< inserted by {{name}}; "" hides {{#name}} and shows {{^name}}
    std::map<std::string, std::vector<Values>> lists;  ///< {{#name}} repeats for each; an empty one shows {{^name}}
    std::map<std::string, text::Message> messages = {};  ///< inserted by {{name}} in the language of the page
};

/// Files that {{> name}} splices into a template when it is read: name and text.
struct Partials : std::map<std::string, std::string, std::less<>> {
    using map::map;
    Values common;          ///< given to each template, beside a page's own values, which count before them
    std::string title_end;  ///< behind each title, as it stands in the page
};

/// Whether a page may have <script> elements: the others are sent with a policy that would stop them.
enum class Scripts {
    none,
    one,
    several,  ///< which of them a page has may depend on its values
};

/// One page in mustache, parsed once for each language that it is shown in. Logic-less: insert, show, hide, repeat.
/// What stands between {{_}} and {{/_}} is translated: a text with values as {{name}} and the tags <strong>, <bdi> and
/// <code>, which catalogues have with values as {name}.
class Template {
public:
    /// `first` is a language that it will be shown in. Throws std::runtime_error naming `file` when the text has an
    /// unescaped tag, changes the delimiters, names a partial that is not in `partials`, does not parse, has not
    /// exactly one <style> element of constant text, or more <script> elements of constant text than `scripts` allows.
    Template(const std::string& file, std::string_view text, const Partials& partials, Scripts scripts = Scripts::none,
             const text::Catalogue& first = {});
    Template(Template&&) noexcept;
    ~Template();

    /// The values {{lang}} and {{dir}} are the language's own. Throws std::runtime_error where a text to be translated
    /// into another language than English has more in it than that.
    std::string render(const Values& values, const text::Catalogue& language = {}) const;

    /// `sha256-...` of the bytes between <style> and </style>, for Content-Security-Policy (CSP Level 3 §2.3.1).
    const std::string& style_hash() const { return style_hash_; }
    /// The same of the scripts that `page`, which was rendered from this template, has: with blanks between them.
    std::string script_hashes(std::string_view page) const;

private:
    struct Parsed;
    struct Script {
        std::string element;  ///< as it stands in the page, up to its end tag
        std::string hash;
    };
    Parsed& parsed(const text::Catalogue& language) const;

    std::string file_;
    std::string text_;  ///< English, with a tag in the place of the style
    std::string style_;
    mutable std::map<std::string, std::unique_ptr<Parsed>> parsed_;  ///< by language tag
    Values common_;
    std::string style_hash_;
    std::vector<Script> scripts_;
};

/// The text of a regular file of valid UTF-8 (a symbolic link is none) of at most 256 KiB, with every line end as "\n":
/// browsers read it so before they hash a style sheet. Throws std::runtime_error naming the file.
std::string read_template_file(const std::string& path);

/// What all pages share: an operator changes it there, or says it in `branding` (web/branding.h, which says what is
/// thrown). Pages of an operator need not have the script.
Partials read_partials(const std::string& directory, const oauth::Branding& branding);

/// Reads the templates of one directory.
class TemplateReader {
public:
    /// `first` as in Template.
    TemplateReader(std::string directory, Partials partials, const text::Catalogue& first);
    /// With what Template and read_template_file throw.
    Template operator()(const std::string& name, Scripts scripts = Scripts::none) const;

private:
    std::string directory_;
    Partials partials_;
    const text::Catalogue& first_;
};

}  // namespace postern::web
