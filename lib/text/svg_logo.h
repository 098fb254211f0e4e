// May this SVG file stand in a page? A reader that knows drawings and nothing else (BRAND-3).
#pragma once

#include <string>
#include <string_view>

#include "util/result.h"

namespace postern::text {

/// What is wrong with the file, and on which line of it.
struct SvgFault {
    std::size_t line = 0;  ///< from 1 on
    std::string reason;    ///< quotes at most a name of the file: letters and digits
};

struct SvgLogo {
    std::string view_box;  ///< of its root: four numbers
    std::string content;   ///< what is in the root, as the reader writes it
};

/// Takes shapes, groups, gradients, clip paths and masks, with attributes of a list. Everything else is refused by its
/// name: scripts, styles, event attributes, links, pictures, text, foreign elements, entities, a document type, other
/// namespaces, an address of any kind. Nothing is repaired. Comments, an XML declaration, <title> and <desc> are left
/// out. An id gets a prefix, with what refers to it, so that it is none of the page's. The result has no "{" and no
/// character reference, and closes what it opens: it can be spliced into HTML, behind <svg viewBox="...">. Never throws
/// but for want of memory; the depth of elements is bounded.
util::Result<SvgLogo, SvgFault> read_svg_logo(std::string_view file);

}  // namespace postern::text
