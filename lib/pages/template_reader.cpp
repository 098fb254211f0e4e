// Reads the templates of one directory and the files that they splice in.
#include "pages/template_reader.h"

#include <filesystem>
#include <utility>

#include "pages/branding.h"
#include "pages/template_text.h"

namespace postern::pages {
namespace {

void read_into(Partials& partials, const std::string& directory, const std::vector<const char*>& names,
               TemplateReader::Missing missing) {
    for (const char* name : names) {
        const std::string path = directory + "/" + name;
        if (missing == TemplateReader::Missing::left_out && !std::filesystem::exists(path)) continue;
        partials[name] = read_template_file(path);
    }
}

/// Pages of an operator may be older than the last three.
Partials read_common(const std::string& directory, const Branding& branding) {
    Partials partials;
    read_into(partials, directory, {"head.html", "style.css", "mark.svg"}, TemplateReader::Missing::refused);
    read_into(partials, directory, {"press_once.js", "passkey_login.js", "languages.html"},
              TemplateReader::Missing::left_out);
    // A page has it behind an end tag, and is what it was where there is one language.
    std::string& languages = partials["languages.html"];
    while (languages.ends_with('\n')) languages.pop_back();
    apply_branding(branding, directory, partials);
    return partials;
}

}  // namespace

TemplateReader::TemplateReader(std::string directory, const Branding& branding,
                               std::shared_ptr<const text::Languages> languages, Parsing parsing)
    : directory_(std::move(directory)),
      partials_(std::make_shared<const Partials>(read_common(directory_, branding))),
      languages_(std::move(languages)),
      parsing_(parsing) {}

TemplateReader TemplateReader::with(const std::vector<const char*>& names, Missing missing) const {
    Partials partials = *partials_;
    read_into(partials, directory_, names, missing);
    TemplateReader more = *this;
    more.partials_ = std::make_shared<const Partials>(std::move(partials));
    return more;
}

Template TemplateReader::operator()(const std::string& name, Scripts scripts) const {
    const std::string path = directory_ + "/" + name;
    Template read(path, read_template_file(path), *partials_, scripts);
    if (parsing_ == Parsing::at_once) read.parse(languages_->last_resort());
    return read;
}

}  // namespace postern::pages
