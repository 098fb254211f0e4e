// Which parameters a query or a form body holds, and which of them are broken.
#include "http/params.h"

#include <algorithm>
#include <utility>

#include "util/percent.h"
#include "util/text.h"

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

}  // namespace

util::Result<Params, ParamsError> Params::parse(std::string_view text, std::size_t max_parameters) {
    Params params;
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
        const auto [place, added] = params.entries_.try_emplace(*std::move(name));
        Entry& entry = place->second;
        if (!added) {
            entry = {"", ParamFault::duplicate};  // RFC 6749 §3.1, §3.2
            continue;
        }
        auto value = decode(pair.substr(std::min(raw_name.size() + 1, pair.size())));
        if (value) {
            entry.value = *std::move(value);
        } else {
            entry.fault = ParamFault::malformed;
        }
    }
    return params;
}

std::optional<std::string> Params::find(std::string_view name) const {
    const auto found = entries_.find(name);
    if (found == entries_.end() || found->second.fault || found->second.value.empty()) return std::nullopt;
    return found->second.value;
}

std::optional<ParamFault> Params::fault_of(std::string_view name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? std::nullopt : found->second.fault;
}

std::optional<std::string> Params::first_fault(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
        if (fault_of(name)) return std::string(name);
    }
    return std::nullopt;
}

}  // namespace postern::http
