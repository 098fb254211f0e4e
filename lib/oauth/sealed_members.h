// How the members of a sealed value are written as JSON and read back. A value lists its members once; the list serves
// both directions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "json/value.h"
#include "model/authorization.h"
#include "util/clock.h"
#include "util/tagged.h"

namespace postern::oauth::sealed {

template <class Enum>
struct EnumNames;  ///< specialised with `kNames`, the spelling of each value

template <>
struct EnumNames<model::ResponseType> {
    static constexpr std::array kNames = {std::pair{"code", model::ResponseType::code},
                                          std::pair{"token", model::ResponseType::token}};
};
template <>
struct EnumNames<model::ResponseMode> {
    static constexpr std::array kNames = {std::pair{"query", model::ResponseMode::query},
                                          std::pair{"fragment", model::ResponseMode::fragment},
                                          std::pair{"form_post", model::ResponseMode::form_post}};
};
template <>
struct EnumNames<model::Prompt> {
    static constexpr std::array kNames = {
        std::pair{"none", model::Prompt::none}, std::pair{"login", model::Prompt::login},
        std::pair{"consent", model::Prompt::consent}, std::pair{"select_account", model::Prompt::select_account}};
};

/// One member as JSON, and back; `decode` returns false for JSON that `encode` does not write.
template <class T>
struct Codec;

template <>
struct Codec<std::string> {
    static json::Value encode(const std::string& text) { return text; }
    static bool decode(const json::Value& value, std::string& text) {
        if (!value.if_string()) return false;
        text = *value.if_string();
        return true;
    }
};

template <>
struct Codec<bool> {
    static json::Value encode(bool flag) { return flag; }
    static bool decode(const json::Value& value, bool& flag) {
        if (!value.if_bool()) return false;
        flag = *value.if_bool();
        return true;
    }
};

template <>
struct Codec<util::Seconds> {
    static json::Value encode(util::Seconds seconds) { return std::int64_t{seconds.count()}; }
    static bool decode(const json::Value& value, util::Seconds& seconds) {
        if (!value.if_integer()) return false;
        seconds = util::Seconds{*value.if_integer()};
        return true;
    }
};

template <>
struct Codec<util::Time> {
    static json::Value encode(util::Time time) { return util::to_epoch(time); }
    static bool decode(const json::Value& value, util::Time& time) {
        if (!value.if_integer()) return false;
        time = util::from_epoch(*value.if_integer());
        return true;
    }
};

template <class Tag>
struct Codec<util::Tagged<Tag>> {
    static json::Value encode(const util::Tagged<Tag>& id) { return id.str(); }
    static bool decode(const json::Value& value, util::Tagged<Tag>& id) {
        if (!value.if_string()) return false;
        id = util::Tagged<Tag>(*value.if_string());
        return true;
    }
};

template <>
struct Codec<model::Scope> {
    static json::Value encode(const model::Scope& scope) { return scope.to_string(); }
    static bool decode(const json::Value& value, model::Scope& scope) {
        if (!value.if_string()) return false;
        auto parsed = model::Scope::parse(*value.if_string());
        if (parsed) scope = std::move(*parsed);
        return parsed.has_value();
    }
};

template <>
struct Codec<model::ClaimNames> {
    static json::Value encode(const model::ClaimNames& names) { return model::to_string(names); }
    static bool decode(const json::Value& value, model::ClaimNames& names) {
        if (!value.if_string()) return false;
        names = model::parse_claim_names(*value.if_string());
        return true;
    }
};

template <class Enum>
requires std::is_enum_v<Enum>
struct Codec<Enum> {
    static json::Value encode(Enum of) {
        for (const auto& [name, known] : EnumNames<Enum>::kNames)
            if (known == of) return name;
        return nullptr;
    }
    static bool decode(const json::Value& value, Enum& to) {
        for (const auto& [name, known] : EnumNames<Enum>::kNames) {
            if (!value.if_string() || *value.if_string() != name) continue;
            to = known;
            return true;
        }
        return false;
    }
};

template <class Enum>
requires std::is_enum_v<Enum>
struct Codec<std::set<Enum>> {
    static json::Value encode(const std::set<Enum>& all) {
        json::Array array;
        for (const Enum one : all) array.push_back(Codec<Enum>::encode(one));
        return array;
    }
    static bool decode(const json::Value& value, std::set<Enum>& all) {
        if (!value.if_array()) return false;
        for (const json::Value& item : *value.if_array()) {
            Enum one{};
            if (!Codec<Enum>::decode(item, one)) return false;
            all.insert(one);
        }
        return true;
    }
};

/// Collects members; an optional one without a value is left out.
class Writer {
public:
    template <class T>
    void operator()(const char* name, const T& member) {
        members_.emplace_back(name, Codec<T>::encode(member));
    }
    template <class T>
    void operator()(const char* name, const std::optional<T>& member) {
        if (member) (*this)(name, *member);
    }
    /// Takes what was collected; a list names no member twice.
    json::Object take() { return json::Object::from_unique(std::move(members_)); }

private:
    std::vector<std::pair<std::string, json::Value>> members_;
};

/// Fills members; `is_whole` turns false when one is missing, unless it is optional, or is not what Writer writes.
class Reader {
public:
    explicit Reader(const json::Object& object) : object_(object) {}
    template <class T>
    void operator()(const char* name, T& member) {
        const json::Value* value = object_.find(name);
        is_whole = is_whole && value != nullptr && Codec<T>::decode(*value, member);
    }
    template <class T>
    void operator()(const char* name, std::optional<T>& member) {
        const json::Value* value = object_.find(name);
        if (value != nullptr) is_whole = is_whole && Codec<T>::decode(*value, member.emplace());
    }
    bool is_whole = true;

private:
    const json::Object& object_;
};

}  // namespace postern::oauth::sealed
