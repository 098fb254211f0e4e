// The text of a template before mustache reads it, and what it may contain. A text that is refused throws
// std::runtime_error, which names the file and the reason.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace postern::pages {

/// Files that {{> name}} splices into a template: name and text.
using PartialTexts = std::map<std::string, std::string, std::less<>>;

[[noreturn]] void throw_unusable_template(const std::string& file, const std::string& why);

/// Reads a regular file of valid UTF-8 (a symbolic link is none) of at most 256 KiB, with every line end as "\n":
/// browsers read it so before they hash a style sheet. Throws std::runtime_error naming the file.
std::string read_template_file(const std::string& path);

/// Refuses the tags that insert a value unescaped, change the delimiters or splice in a file. It looks at every "{{",
/// those inside comments too: a stricter rule than mustache's own, so that no way around it is left.
void check_tags(const std::string& file, std::string_view text);

/// Refuses sections that the parser would refuse later, when the page is shown: a form may have changed something by
/// then.
void check_sections(const std::string& file, std::string_view text);

/// Splices in texts, not templates: mustache's own partials would be parsed again for every request.
std::string expand_partials(const std::string& file, std::string_view text, const PartialTexts& partials);

/// Returns where `tag`, such as "<style", is behind `from`; npos when it is not there.
std::size_t find_tag(std::string_view text, std::string_view tag, std::size_t from = 0);

/// Returns the content of the first element of that name. Refuses attributes and a tag in it: neither could
/// be allowed by one hash, and the browser would ignore it without a word. It would ignore a second one where there is
/// one hash, which is refused unless `more_may_follow`.
std::string_view find_element(const std::string& file, std::string_view text, const std::string& name,
                              bool more_may_follow = false);

}  // namespace postern::pages
