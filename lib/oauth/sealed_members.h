// Writes the members of a sealed value as text and reads them back. A value lists its members once; the list serves
// both directions.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "model/authorization.h"
#include "util/clock.h"
#include "util/tagged.h"
#include "util/text.h"

namespace postern::oauth::sealed {

template <class Enum>
struct EnumNames;  ///< specialised with `kNames`, the spelling of each value

template <>
struct EnumNames<model::ResponseType> {
    static constexpr std::array kNames = {std::pair{"code", model::ResponseType::code},
                                          std::pair{"token", model::ResponseType::token},
                                          std::pair{"id_token", model::ResponseType::id_token},
                                          std::pair{"id_token token", model::ResponseType::id_token_token},
                                          std::pair{"code id_token", model::ResponseType::code_id_token},
                                          std::pair{"code token", model::ResponseType::code_token},
                                          std::pair{"code id_token token", model::ResponseType::code_id_token_token}};
};
template <>
struct EnumNames<model::ResponseMode> {
    static constexpr std::array kNames = {std::pair{"query", model::ResponseMode::query},
                                          std::pair{"fragment", model::ResponseMode::fragment},
                                          std::pair{"form_post", model::ResponseMode::form_post},
                                          std::pair{"query.jwt", model::ResponseMode::query_jwt},
                                          std::pair{"fragment.jwt", model::ResponseMode::fragment_jwt},
                                          std::pair{"form_post.jwt", model::ResponseMode::form_post_jwt}};
};
template <>
struct EnumNames<model::Prompt> {
    static constexpr std::array kNames = {
        std::pair{"none", model::Prompt::none}, std::pair{"login", model::Prompt::login},
        std::pair{"consent", model::Prompt::consent}, std::pair{"select_account", model::Prompt::select_account}};
};

template <>
struct EnumNames<model::Level> {
    static constexpr std::array kNames = {std::pair{"0", model::Level::unknown}, std::pair{"1", model::Level::password},
                                          std::pair{"2", model::Level::second_factor},
                                          std::pair{"3", model::Level::phishing_resistant}};
};

/// Writes one member as text and reads it back; nullopt for text that `encode` does not write.
template <class T>
struct Codec;

template <>
struct Codec<std::string> {
    static const std::string& encode(const std::string& text) { return text; }
    static std::optional<std::string> decode(std::string_view text) { return std::string(text); }
};

template <>
struct Codec<bool> {
    static std::string encode(bool flag) { return flag ? "1" : "0"; }
    static std::optional<bool> decode(std::string_view text) {
        if (text != "1" && text != "0") return std::nullopt;
        return text == "1";
    }
};

template <>
struct Codec<std::int64_t> {  // not negative
    static std::string encode(std::int64_t number) { return std::to_string(number); }
    static std::optional<std::int64_t> decode(std::string_view text) {
        return util::parse_digits(text, std::numeric_limits<std::int64_t>::max());
    }
};

template <>
struct Codec<util::Seconds> {
    static std::string encode(util::Seconds seconds) { return std::to_string(seconds.count()); }
    static std::optional<util::Seconds> decode(std::string_view text) {
        const auto count = util::parse_digits(text, std::numeric_limits<std::int64_t>::max());
        if (!count) return std::nullopt;
        return util::Seconds{*count};
    }
};

template <>
struct Codec<util::Time> {
    static std::string encode(util::Time time) { return std::to_string(util::to_epoch(time)); }
    static std::optional<util::Time> decode(std::string_view text) {
        const auto seconds = Codec<util::Seconds>::decode(text);
        if (!seconds) return std::nullopt;
        return util::from_epoch(seconds->count());
    }
};

template <class Tag>
struct Codec<util::Tagged<Tag>> {
    static const std::string& encode(const util::Tagged<Tag>& id) { return id.str(); }
    static std::optional<util::Tagged<Tag>> decode(std::string_view text) {
        return util::Tagged<Tag>(std::string(text));
    }
};

template <>
struct Codec<model::Scope> {
    static const std::string& encode(const model::Scope& scope) { return scope.to_string(); }
    static std::optional<model::Scope> decode(std::string_view text) { return model::Scope::parse(text); }
};

template <>
struct Codec<model::ClaimNames> {
    static std::string encode(const model::ClaimNames& names) { return model::to_string(names); }
    static std::optional<model::ClaimNames> decode(std::string_view text) { return model::parse_claim_names(text); }
};

template <>
struct Codec<model::ResourceUris> {
    static std::string encode(const model::ResourceUris& uris) { return model::to_string(uris); }
    static std::optional<model::ResourceUris> decode(std::string_view text) { return model::parse_resource_uris(text); }
};

template <class Enum>
requires std::is_enum_v<Enum>
struct Codec<Enum> {
    static std::string encode(Enum of) {
        for (const auto& [name, known] : EnumNames<Enum>::kNames)
            if (known == of) return name;
        return "";
    }
    static std::optional<Enum> decode(std::string_view text) {
        for (const auto& [name, known] : EnumNames<Enum>::kNames)
            if (text == name) return known;
        return std::nullopt;
    }
};

template <class Enum>
requires std::is_enum_v<Enum>
struct Codec<std::set<Enum>> {
    static std::string encode(const std::set<Enum>& all) {
        std::string text;
        for (const Enum one : all) text += (text.empty() ? "" : " ") + Codec<Enum>::encode(one);
        return text;
    }
    static std::optional<std::set<Enum>> decode(std::string_view text) {
        std::set<Enum> all;
        if (text.empty()) return all;
        for (const std::string_view name : util::split(text, ' ')) {
            const auto one = Codec<Enum>::decode(name);
            if (!one) return std::nullopt;
            all.insert(*one);
        }
        return all;
    }
};

/// Writes members one behind the other: the length of each in bytes, a colon, its text. A comma stands for an optional
/// member without a value.
class Writer {
public:
    Writer() { out_.reserve(512); }
    template <class... Members>
    void operator()(const Members&... members) {
        (write(members), ...);
    }
    std::string take() { return std::move(out_); }

private:
    template <class T>
    void write(const T& member) {
        const std::string& text = Codec<T>::encode(member);
        out_.append(std::to_string(text.size())).append(":").append(text);
    }
    template <class T>
    void write(const std::optional<T>& member) {
        member ? write(*member) : out_.push_back(',');
    }

    std::string out_;
};

/// Reads the text of Writer into members.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}
    template <class... Members>
    void operator()(Members&... members) {
        is_good_ = (read(members) && ...);
    }
    /// Returns true if the text had every member, and no other text.
    bool is_whole() const { return is_good_ && rest_.empty(); }

private:
    template <class T>
    bool read(T& member) {
        const std::size_t colon = rest_.find(':');
        if (colon == std::string_view::npos) return false;
        const auto length = util::parse_digits(rest_.substr(0, colon), static_cast<std::int64_t>(rest_.size()));
        rest_.remove_prefix(colon + 1);
        if (!length || static_cast<std::size_t>(*length) > rest_.size()) return false;
        auto decoded = Codec<T>::decode(rest_.substr(0, static_cast<std::size_t>(*length)));
        rest_.remove_prefix(static_cast<std::size_t>(*length));
        if (decoded) member = std::move(*decoded);
        return decoded.has_value();
    }
    template <class T>
    bool read(std::optional<T>& member) {
        if (!rest_.starts_with(',')) return read(member.emplace());
        rest_.remove_prefix(1);
        return true;
    }

    std::string_view rest_;
    bool is_good_ = false;
};

}  // namespace postern::oauth::sealed
