// Text as one JSON string literal: for the JSON writer and for the log, which sits below it.
#pragma once

#include <string>
#include <string_view>

namespace postern::util {

enum class Escapes {
    inert,  ///< also `<`, `>`, `&` (inert in HTML), DEL and C1 controls, U+2028, U+2029 and bidirectional controls (one
            ///< line on every screen, in reading order), each as \uXXXX
    required,  ///< what RFC 8259 §7 asks for: for what only this server reads, where length counts
};

/// Behind `out`, with its quotes (RFC 8259 §7). Invalid UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text, Escapes escapes = Escapes::inert);

/// With its quotes (RFC 8259 §7). Invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text, Escapes escapes = Escapes::inert);

}  // namespace postern::util
