// An HTML template, and how values get into it: escaped, once, never read again as template text.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "pages/template_text.h"
#include "text/catalogue.h"
#include "text/message.h"

namespace postern::pages {

/// The values that a template is given. A name that is missing prints nothing.
struct Values {
    std::map<std::string, std::string> texts;  ///< inserted by {{name}}; "" hides {{#name}} and shows {{^name}}
    std::map<std::string, std::vector<Values>> lists = {};  ///< {{#name}} repeats for each; an empty one: {{^name}}
    std::map<std::string, text::Message> messages = {};     ///< inserted by {{name}} in the language of the page
};

/// The texts that are spliced into each template when it is read, and the values that it is given when it is shown.
struct Partials : PartialTexts {
    using PartialTexts::PartialTexts;
    Values common;          ///< given to each template, beside a page's own values, which count before them
    std::string title_end;  ///< behind each title, as it stands in the page
};

/// The <script> elements that a page may have: the others are sent with a policy that would stop them.
enum class Scripts {
    none,
    one,
    several,  ///< which of them a page has may depend on its values
};

/// Writes a text between isolates (text/message.h) in a page as <bdi>, or <bdi dir="ltr">: text that a reader copies
/// from the page has no invisible characters in it, and the style sheet knows where a value ends. In attributes and
/// titles, which have no elements, isolates stay.
std::string isolates_as_elements(std::string html);

/// A page in mustache, parsed once for each language that it is shown in. Logic-less: insert, show, hide, repeat.
/// The text between {{_}} and {{/_}} is translated: words with values as {{name}} and the tags <strong>, <bdi> and
/// <code>, which catalogues have with values as {name}.
class Template {
public:
    /// Throws std::runtime_error naming `file` when the text has an unescaped tag, changes the delimiters, names a
    /// partial that is not in `partials`, has not exactly one <style> element of constant text, or more <script>
    /// elements of constant text than `scripts` allows.
    Template(const std::string& file, std::string_view text, const Partials& partials, Scripts scripts = Scripts::none);
    Template(Template&&) noexcept;
    ~Template();

    /// Parses the text, as render() does once for each language. Throws std::runtime_error naming the file when the
    /// text is no mustache, or where a text to be translated into another language than English has more in it than
    /// that.
    void parse(const text::Catalogue& language = {}) const;

    /// Renders the page. The values {{lang}} and {{dir}} are the language's own. A value that stands between isolates
    /// in a sentence is in an element <bdi> of the page. Throws as parse().
    std::string render(const Values& values, const text::Catalogue& language = {}) const;

    /// Returns `sha256-...` of the bytes between <style> and </style>, for Content-Security-Policy (CSP Level 3
    /// §2.3.1).
    const std::string& style_hash() const { return constants_[style_].hash(); }
    /// Returns the hashes of the scripts that `page`, which was rendered from this template, has: with blanks between.
    std::string script_hashes(std::string_view page) const;
    /// Returns `data` if the markup or the style has a `data:` address: a logo, or a picture of the operator's.
    http::Pictures pictures() const;

private:
    struct Parsed;
    /// The style or a script.
    class Constant {
    public:
        /// `content` lies in the text of a template behind an opening tag of that length.
        Constant(std::string_view content, std::size_t opening);
        const std::string& element() const { return element_; }  ///< as it stands there, up to its end tag
        std::string content() const { return element_.substr(opening_); }
        const std::string& hash() const;  ///< made when it is wanted first

    private:
        std::string element_;
        std::size_t opening_;
        mutable std::string hash_;
    };
    Parsed& parsed(const text::Catalogue& language) const;

    std::string file_;
    std::string text_;                 ///< English, with tags in the place of the constants
    std::vector<Constant> constants_;  ///< in the order in which they stand
    std::size_t style_ = 0;            ///< which of them is the style
    mutable std::map<std::string, std::unique_ptr<Parsed>> parsed_;  ///< by language tag
    Values common_;
};

}  // namespace postern::pages
