// How much of a request's body is read, and whether what came is what was announced (RFC 3875 §4.2).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "gateway/variables.h"

namespace postern::gateway {

enum class BodyState {
    whole,       ///< exactly the announced bytes, none included
    bad_length,  ///< CONTENT_LENGTH is not a number
    too_large,   ///< over the cap
    no_length,   ///< a body without CONTENT_LENGTH, or what may be one: never mistaken for an empty body
    incomplete,  ///< fewer or more bytes than announced, or the transport failed
};

/// The end of the transport's stream.
enum class StreamEnd {
    by_itself,       ///< FastCGI: an end record comes
    at_length_only,  ///< CGI (RFC 3875 §4.2): end of file is not guaranteed; read CONTENT_LENGTH bytes, no more
};

struct Body {
    BodyState state = BodyState::whole;
    std::string bytes;  ///< only when whole
    StreamEnd end = StreamEnd::by_itself;
};

/// Reads at most `size` bytes: 0 at the end, nullopt when the transport failed.
using ReadSome = std::function<std::optional<std::size_t>(char* buffer, std::size_t size)>;

/// The limit up to which a refused body is read, too: web servers lose the answer of a program that leaves one unread.
inline constexpr std::size_t kDrainBytes = std::size_t{1} << 20;

/// Reads the whole body, or drains one that is over `cap`.
Body receive_body(const Variables& variables, std::size_t cap, StreamEnd end, const ReadSome& read_some);

}  // namespace postern::gateway
