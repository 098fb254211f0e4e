// Compiled catalogues as msgfmt writes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace postern::test {

/// Returns a compiled catalogue of messages by key, sorted as the format demands.
inline std::string compiled(const std::map<std::string, std::string>& messages, bool big_endian = false) {
    const auto number = [&](std::size_t value) {
        std::string bytes;
        for (int i = 0; i < 4; ++i)
            bytes += static_cast<char>(value >> (8 * static_cast<unsigned>(big_endian ? 3 - i : i)) & 0xFFU);
        return bytes;
    };
    const std::size_t count = messages.size();
    const std::size_t tables = 28;
    std::string keys, translations, strings;
    const std::size_t begin = tables + 16 * count;
    const auto add = [&](std::string& table, const std::string& text) {
        table += number(text.size()) + number(begin + strings.size());
        strings += text + '\0';
    };
    for (const auto& [key, translation] : messages) {
        add(keys, key);
        add(translations, translation);
    }
    return number(0x950412de) + number(0) + number(count) + number(tables) + number(tables + 8 * count) + number(0) +
           number(0) + keys + translations + strings;
}

}  // namespace postern::test
