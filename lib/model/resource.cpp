// How a list of resources is written as one text.
#include "model/resource.h"

#include <algorithm>

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

std::string to_string(const ResourceScopes& scopes) {
    std::string text;
    for (const auto& [uri, scope] : scopes) {
        if (!text.empty()) text += '\n';
        text += uri;
        if (!scope.empty()) text += ' ' + scope.to_string();
    }
    return text;
}

ResourceScopes parse_resource_scopes(std::string_view text) {
    ResourceScopes scopes;
    if (text.empty()) return scopes;
    for (const std::string_view line : util::split(text, '\n')) {
        const std::string_view uri = line.substr(0, line.find(' '));
        scopes[std::string(uri)] = Scope::stored(std::string(line.substr(std::min(uri.size() + 1, line.size()))));
    }
    return scopes;
}

}  // namespace postern::model
