// Which kind of code somebody has typed: of an authenticator app, or a recovery code.
#pragma once

#include <string>
#include <string_view>

namespace postern::factor {

enum class CodeKind {
    none,      ///< neither of the two
    app,       ///< six digits
    recovery,  ///< sixteen digits
};

struct TypedCode {
    CodeKind kind = CodeKind::none;
    std::string digits = {};  ///< of app and recovery: 0-9 and nothing else
};

/// Reads a typed code. Blanks, hyphens and invisible characters are ignored wherever they are, those of word processors
/// and phones too. A digit of another script is the digit of its value: a keyboard for Arabic or Japanese has no others
/// at hand.
TypedCode parse_code(std::string_view typed);

}  // namespace postern::factor
