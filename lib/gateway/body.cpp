// Reads a request's body up to a limit, and checks it against the announced length (RFC 3875 §4.2).
#include "gateway/body.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "util/text.h"

namespace postern::gateway {
namespace {

struct Received {
    std::string bytes;      ///< the first of them, up to the cap
    std::size_t total = 0;  ///< drained ones included
    bool failed = false;
};

Received read_up_to(std::size_t bound, std::size_t cap, const ReadSome& read_some) {
    Received received;
    std::array<char, 8192> buffer;
    while (received.total < bound) {
        const auto got = read_some(buffer.data(), std::min(buffer.size(), bound - received.total));
        received.failed = !got;
        if (!got || *got == 0) break;
        received.bytes.append(buffer.data(), std::min(*got, cap - std::min(cap, received.bytes.size())));
        received.total += *got;
    }
    return received;
}

/// Under CGI a program cannot read a body without CONTENT_LENGTH. HTTP/2 needs no length, so a form without it may have
/// lost its body.
bool may_be_lost(const Variables& variables, StreamEnd end) {
    return end == StreamEnd::at_length_only && !variables.has("CONTENT_LENGTH") &&
           variables.get("REQUEST_METHOD") == "POST" && !variables.get("CONTENT_TYPE").empty();
}

Body judge(const Variables& variables, std::size_t cap, StreamEnd end, const ReadSome& read_some) {
    const std::string_view length = variables.get("CONTENT_LENGTH");
    const bool announced = !length.empty();  // some servers set it to "" when there is no body
    const auto number = util::parse_digits(length, std::numeric_limits<std::int64_t>::max());
    const std::size_t expected = number ? static_cast<std::size_t>(*number) : 0;

    // A chunked body is refused, and read like other refused ones; a web server that streams it also ends it.
    const bool chunked = !announced && variables.has("HTTP_TRANSFER_ENCODING");
    const bool until_end = end == StreamEnd::by_itself || chunked;
    const std::size_t bound = until_end ? kDrainBytes : std::min(expected, kDrainBytes);
    Received received = read_up_to(bound, cap, read_some);

    if (announced && !number) return {BodyState::bad_length, {}};
    if (expected > cap || received.total > cap) return {BodyState::too_large, {}};
    if (chunked || (!announced && (received.total > 0 || may_be_lost(variables, end))))
        return {BodyState::no_length, {}};
    if (received.failed || received.total != expected) return {BodyState::incomplete, {}};
    return {BodyState::whole, std::move(received.bytes)};
}

}  // namespace

Body receive_body(const Variables& variables, std::size_t cap, StreamEnd end, const ReadSome& read_some) {
    Body body = judge(variables, cap, end, read_some);
    body.end = end;
    return body;
}

}  // namespace postern::gateway
