// Which parameters a query or a form body holds, and which of them are broken.
#include "http/params.h"

#include <algorithm>
#include <utility>

#include "util/percent.h"
#include "util/text.h"
#include "util/visible.h"

namespace postern::http {
namespace {

bool is_clean(std::string_view text) {
    return util::is_vschar(text) || (util::is_utf8(text) && !util::has_control_bytes(text));
}

/// Decoded once (`%2500` is `%00` as text), UTF-8, no control byte: such a text can go anywhere but into HTML
/// unescaped.
std::optional<std::string> decode(std::string_view raw) {
    auto text = util::form_decode(raw);
    return text && is_clean(*text) ? text : std::nullopt;
}

bool is_line_space(char c) { return c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

util::Result<Params, ParamsError> Params::parse(std::string_view text, std::size_t max_parameters) {
    constexpr std::size_t kUsual = 8;
    Params params;
    if (!text.empty()) params.entries_.reserve(kUsual);
    std::size_t count = 0;
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(pair.size() + 1, text.size()));
        const std::string_view raw_name = pair.substr(0, pair.find('='));
        if (raw_name.empty()) continue;
        // Counted before anything is decoded or kept: a flood costs one walk over its first names.
        if (++count > max_parameters) return ParamsError::too_many;

        auto name = decode(raw_name);
        if (!name) return ParamsError::malformed_name;
        auto value = util::form_decode(pair.substr(std::min(raw_name.size() + 1, pair.size())));
        const bool is_good = value && is_clean(*value);
        const auto known = std::ranges::find(params.entries_, *name, &Entry::name);
        if (known != params.entries_.end()) {
            known->fault = ParamFault::duplicate;  // RFC 6749 §3.1, §3.2
            known->is_broken |= !is_good;
            if (is_good) known->repeated.push_back(*std::move(value));
            continue;
        }
        const auto fault = is_good ? std::nullopt : std::optional(ParamFault::malformed);
        params.entries_.push_back({*std::move(name), std::move(value).value_or(""), fault, {}, fault.has_value()});
    }
    return params;
}

const Params::Entry* Params::entry(std::string_view name) const {
    const auto found = std::ranges::find(entries_, name, &Entry::name);
    return found == entries_.end() ? nullptr : &*found;
}

std::optional<std::string_view> Params::find(std::string_view name) const {
    const Entry* found = entry(name);
    if (!found || found->fault || found->value.empty()) return std::nullopt;
    return found->value;
}

std::optional<std::string> Params::find_typed(std::string_view name) const {
    const Entry* found = entry(name);
    if (!found) return std::string();
    if (found->fault == ParamFault::duplicate || (found->fault && found->value.empty())) return std::nullopt;
    std::string text = found->value;
    std::ranges::replace_if(text, is_line_space, ' ');
    if (!is_clean(text)) return std::nullopt;
    return std::string(util::trim_invisible(text));
}

std::optional<std::vector<std::string>> Params::find_all(std::string_view name) const {
    const Entry* found = entry(name);
    std::vector<std::string> values;
    if (!found) return values;
    if (found->is_broken) return std::nullopt;
    if (!found->value.empty()) values.push_back(found->value);
    for (const std::string& value : found->repeated)
        if (!value.empty()) values.push_back(value);
    return values;
}

std::optional<ParamFault> Params::fault_of(std::string_view name) const {
    const Entry* found = entry(name);
    return found ? found->fault : std::nullopt;
}

std::optional<std::string> Params::first_fault(std::initializer_list<std::string_view> names) const {
    if (std::ranges::none_of(entries_, [](const Entry& entry) { return entry.fault.has_value(); })) return std::nullopt;
    for (const std::string_view name : names) {
        if (fault_of(name)) return std::string(name);
    }
    return std::nullopt;
}

}  // namespace postern::http
