// Messages are compared as they are said in English.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "text/catalogue.h"
#include "text/message.h"

namespace postern::text {

/// Returns the message as it is said in English.
inline std::string said(const Message& message) { return Catalogue().say(message); }

inline std::ostream& operator<<(std::ostream& out, const Message& message) { return out << said(message); }

inline bool operator==(const Message& a, const Message& b) { return said(a) == said(b); }

/// Compares a message with a literal, without the conversion of the literal to a message.
inline bool operator==(const Message& message, const char* english) { return said(message) == english; }

inline bool operator==(const Message& message, std::string_view english) { return said(message) == english; }

}  // namespace postern::text
