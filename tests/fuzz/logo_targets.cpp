// The logo of an operator, who may have it from elsewhere.
#include <string>

#include "fuzz/targets.h"
#include "text/svg_logo.h"
#include "util/text.h"

namespace postern::test {

void fuzz_svg_logo(std::string_view input) {
    const auto logo = text::read_svg_logo(input);
    if (!logo) {
        promise(logo.error().line >= 1, "a fault has a line");
        return;
    }
    for (const std::string& part : {logo->view_box, logo->content})
        promise(part.find_first_of("{}&\\:") == std::string::npos, "no tag, no entity, no escape and no address");
    promise(logo->view_box.find_first_of("\"<>") == std::string::npos, "the view box stays in its quotes");
    const std::string lower = util::to_lower(logo->content);
    // No value has a "=": a word that is followed by one is an attribute.
    for (const char* word : {"<script", "<style", "<foreignobject", "<image", "<a", "<use", "href=", " style=", "//"})
        promise(lower.find(word) == std::string::npos, "a drawing and nothing else");
    for (auto at = lower.find("url("); at != std::string::npos; at = lower.find("url(", at + 1))
        promise(lower.compare(at, 10, "url(#logo-") == 0, "a reference is to the drawing itself");
    const auto again = text::read_svg_logo("<svg viewBox=\"" + logo->view_box + "\">" + logo->content + "</svg>");
    promise(static_cast<bool>(again), "what was written can be read");
}

}  // namespace postern::test
