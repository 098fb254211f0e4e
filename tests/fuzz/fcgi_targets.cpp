// The records of a FastCGI request.
#include <algorithm>
#include <cstdint>
#include <string>

#include "fuzz/targets.h"
#include "gateway/fcgi_request.h"

namespace postern::test {
namespace {

using Verdict = gateway::FcgiHead::Verdict;

std::size_t at(std::string_view bytes, std::size_t place) { return static_cast<std::uint8_t>(bytes[place]); }

/// A length as FastCGI 1.0 §3.4 writes it, taken from the front; -1 when it is not all there.
std::int64_t take_length(std::string_view& bytes) {
    const std::size_t size = !bytes.empty() && at(bytes, 0) >= 128 ? 4 : 1;
    if (bytes.size() < size) return -1;
    std::int64_t length = static_cast<std::int64_t>(size == 1 ? at(bytes, 0) : at(bytes, 0) - 128);
    for (std::size_t i = 1; i < size; ++i) length = length * 256 + static_cast<std::int64_t>(at(bytes, i));
    bytes.remove_prefix(size);
    return length;
}

/// Whether the bytes are whole names and values.
bool are_whole_pairs(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::int64_t name = take_length(bytes);
        const std::int64_t value = bytes.empty() ? -1 : take_length(bytes);
        if (name < 0 || value < 0 || name + value > static_cast<std::int64_t>(bytes.size())) return false;
        bytes.remove_prefix(static_cast<std::size_t>(name + value));
    }
    return true;
}

/// The names and values alone, as they stand one behind the other.
std::string written_as_sent(std::string_view pairs) {
    std::string text;
    while (!pairs.empty()) {
        const auto name = static_cast<std::size_t>(take_length(pairs));
        const auto value = static_cast<std::size_t>(take_length(pairs));
        text.append(pairs.substr(0, name)).append("=").append(pairs.substr(name, value)).append("\n");
        pairs.remove_prefix(name + value);
    }
    return text;
}

std::string written(const gateway::NamedValues& variables) {
    std::string text;
    for (const auto& [name, value] : variables) text.append(name).append("=").append(value).append("\n");
    return text;
}

/// Everything in the records of variables, up to the empty one; the same is read from the bytes once more, all at once.
std::string variables_of(std::string_view bytes) {
    std::string variables;
    for (bool first = true;; first = false) {
        promise(bytes.size() >= 8 && at(bytes, 0) == 1, "a head consists of whole records of version 1");
        promise(at(bytes, 1) == (first ? 1 : 4), "a head is one beginning and then variables");
        const std::size_t length = at(bytes, 4) * 256 + at(bytes, 5);
        const std::size_t size = 8 + length + at(bytes, 6);
        promise(bytes.size() >= size, "a record is whole");
        if (!first && length == 0) return variables;
        if (!first) variables.append(bytes.substr(8, length));
        bytes.remove_prefix(size);
    }
}

/// The body behind a head: all of it was sent, and it ends.
void read_body(std::string_view input, std::size_t id) {
    std::string_view left = input;
    gateway::FcgiBody body(id, [&](char* buffer, std::size_t size) {
        const std::size_t taken = std::min(size, left.size());
        left.copy(buffer, taken);
        left.remove_prefix(taken);
        return taken;
    });
    char buffer[100];
    std::size_t content = 0;
    auto got = body.read(buffer, sizeof buffer);
    for (; got && *got > 0; got = body.read(buffer, sizeof buffer)) {
        promise(*got <= sizeof buffer, "no more is given than was asked for");
        content += *got;
    }
    promise(content <= input.size(), "a body is not longer than what was sent");
    promise(body.has_ended() == (got == std::size_t{0}), "a body has ended when nothing more comes, and only then");
}

}  // namespace

void fuzz_fcgi_request(std::string_view input) {
    gateway::FcgiHead whole;
    const Verdict verdict = whole.take(input);
    gateway::FcgiHead pieces;
    Verdict last = Verdict::incomplete;
    for (std::size_t place = 0; place < input.size(); ++place) {
        const Verdict next = pieces.take(input.substr(place, 1));
        promise(last == Verdict::incomplete || next == last, "what is good or bad stays so");
        last = next;
    }
    promise(last == verdict, "the verdict does not depend on how the bytes come");
    promise(verdict != Verdict::incomplete || input.size() <= gateway::kLongestHead, "a head has an end");
    if (verdict != Verdict::good) return;
    const std::string variables = variables_of(input);
    promise(are_whole_pairs(variables), "the variables are whole");
    promise(written(whole.variables()) == written_as_sent(variables), "the variables are those that were sent");
    read_body(input.substr(whole.size()), whole.id());
}

}  // namespace postern::test
