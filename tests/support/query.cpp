// Writes and reads the parameters that tests send and get.
#include "support/query.h"

#include "util/percent.h"
#include "util/text.h"

namespace postern::test {

Query::Query(std::initializer_list<std::pair<std::string, std::string>> pairs) : pairs_(pairs) {}

Query Query::with(const std::string& name, const std::string& value) const {
    Query changed = *this;
    for (auto& pair : changed.pairs_) {
        if (pair.first != name) continue;
        pair.second = value;
        return changed;
    }
    return and_also(name, value);
}

Query Query::and_also(const std::string& name, const std::string& value) const {
    Query changed = *this;
    changed.pairs_.emplace_back(name, value);
    return changed;
}

Query Query::without(const std::string& name) const {
    Query changed = *this;
    std::erase_if(changed.pairs_, [&](const auto& pair) { return pair.first == name; });
    return changed;
}

Query Query::raw(const std::string& text) const {
    Query changed = *this;
    if (!changed.raw_.empty()) changed.raw_ += '&';
    changed.raw_ += text;
    return changed;
}

std::string Query::text() const {
    std::string text;
    for (const auto& [name, value] : pairs_) {
        if (!text.empty()) text += '&';
        text += util::percent_encode(name) + "=" + util::percent_encode(value);
    }
    if (!raw_.empty() && !text.empty()) text += '&';
    return text + raw_;
}

namespace {

std::optional<std::string> find_in(std::string_view text, std::string_view name) {
    for (const auto piece : util::split(text, '&')) {
        const auto equals = piece.find('=');
        if (equals == std::string_view::npos || util::form_decode(piece.substr(0, equals)) != name) continue;
        return util::form_decode(piece.substr(equals + 1));
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> query_parameter(std::string_view url, std::string_view name) {
    url = url.substr(0, url.find('#'));
    const auto mark = url.find('?');
    if (mark == std::string_view::npos) return std::nullopt;
    return find_in(url.substr(mark + 1), name);
}

std::optional<std::string> fragment_parameter(std::string_view url, std::string_view name) {
    const auto mark = url.find('#');
    if (mark == std::string_view::npos) return std::nullopt;
    return find_in(url.substr(mark + 1), name);
}

std::string without_query(std::string_view url) { return std::string(url.substr(0, url.find_first_of("?#"))); }

}  // namespace postern::test
