// How a list of resources is written as one text.
#include "model/resource.h"

#include "util/text.h"

namespace postern::model {

std::string to_string(const ResourceUris& uris) {
    std::string text;
    for (const std::string& uri : uris) text += (text.empty() ? "" : " ") + uri;
    return text;
}

ResourceUris parse_resource_uris(std::string_view text) {
    ResourceUris uris;
    if (text.empty()) return uris;
    for (const std::string_view uri : util::split(text, ' ')) uris.emplace_back(uri);
    return uris;
}

}  // namespace postern::model
