// Which response types and algorithms the configuration accepts, and where they go.
#include "config/keys.h"

#include <algorithm>

namespace postern::config {
namespace {

using crypto::Algorithm;
using model::ResponseType;

constexpr const char* kNoAlgorithm = "must be one of \"ES256\", \"EdDSA\", \"PS256\", \"RS256\"";
constexpr const char* kNoResponseType =
    "must be one or more of the words code, id_token and token, each once, with single blanks between them";

std::optional<Algorithm> parse_algorithm(const json::Value& value) {
    const std::string* name = value.if_string();
    return name == nullptr ? std::nullopt : crypto::parse_algorithm(*name);
}

std::optional<ResponseType> parse_response_type(const json::Value& value) {
    const std::string* words = value.if_string();
    return words == nullptr ? std::nullopt : model::parse_response_type(*words);
}

/// Reads a list of one or more values, none of them twice; `fault` is said of one that `parse` does not know.
template <class Value>
Problems read_list(const json::Value& value, std::optional<Value> (*parse)(const json::Value&), const char* fault,
                   std::vector<Value>& values) {
    if (value.if_array() == nullptr || value.if_array()->empty()) return wrong("must be a list with at least one item");
    values.clear();
    return read_each(*value.if_array(), [&](const json::Value& item) -> Fault {
        const auto known = parse(item);
        if (!known) return fault;
        if (std::ranges::find(values, *known) != values.end()) return "must not be named twice";
        values.push_back(*known);
        return std::nullopt;
    });
}

}  // namespace

Problems read_implicit(Config& config, const json::Value& value) {
    const bool* given = value.if_bool();
    if (given == nullptr) return wrong("must be true or false");
    config.settings.response_types = {ResponseType::code};
    if (*given) config.settings.response_types.push_back(ResponseType::token);
    return {};
}

Problems read_response_types(Config& config, const json::Value& value) {
    return read_list(value, parse_response_type, kNoResponseType, config.settings.response_types);
}

Problems read_access_token_algorithm(Config& config, const json::Value& value) {
    const auto given = parse_algorithm(value);
    if (!given) return wrong(kNoAlgorithm);
    config.settings.access_token_algorithm = given;
    return {};
}

Problems read_id_token_algorithm(Config& config, const json::Value& value) {
    const auto given = parse_algorithm(value);
    if (!given) return wrong(kNoAlgorithm);
    config.settings.id_token_algorithms = {*given};
    return {};
}

Problems read_id_token_algorithms(Config& config, const json::Value& value) {
    return read_list(value, parse_algorithm, kNoAlgorithm, config.settings.id_token_algorithms);
}

}  // namespace postern::config
