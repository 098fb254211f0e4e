#include "fetch/messages.h"

#include <cstdint>
#include <vector>

#include "util/text.h"

namespace postern::fetch {
namespace {

using Fields = std::vector<std::string>;

constexpr std::size_t kLengthBytes = 4;
constexpr std::string_view kClientDocument = "client_document";
constexpr std::string_view kJwks = "jwks";
constexpr std::string_view kLogoutToken = "logout_token";

/// Each field is its length in four bytes, the greatest first, and its bytes.
std::string join(const Fields& fields) {
    std::string bytes;
    for (const std::string& field : fields) {
        for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>((field.size() >> shift) & 0xff);
        bytes += field;
    }
    return bytes;
}

std::size_t read_length(std::string_view bytes) {
    std::size_t length = 0;
    for (const char byte : bytes.substr(0, kLengthBytes)) length = length << 8 | static_cast<std::uint8_t>(byte);
    return length;
}

/// Exactly `count` fields, and nothing behind them.
std::optional<Fields> take_apart(std::string_view bytes, std::size_t count) {
    Fields fields;
    for (; fields.size() < count; bytes.remove_prefix(fields.back().size())) {
        if (bytes.size() < kLengthBytes) return std::nullopt;
        const std::size_t length = read_length(bytes);
        bytes.remove_prefix(kLengthBytes);
        if (length > bytes.size()) return std::nullopt;
        fields.emplace_back(bytes.substr(0, length));
    }
    if (!bytes.empty()) return std::nullopt;
    return fields;
}

/// A list in one field; an empty field is an empty list.
template <class T, class Parse>
std::optional<std::vector<T>> read_list(std::string_view text, Parse parse) {
    std::vector<T> list;
    if (text.empty()) return list;
    for (const std::string_view part : util::split(text, ',')) {
        const auto item = parse(part);
        if (!item) return std::nullopt;
        list.push_back(static_cast<T>(*item));
    }
    return list;
}

template <class List, class Format>
std::string write_list(const List& list, Format format) {
    std::string text;
    for (const auto& item : list) text += (text.empty() ? "" : ",") + format(item);
    return text;
}

std::optional<std::string> unless_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::string write_question(const Question& question) {
    if (question.purpose == Purpose::logout_token)
        return join({std::string(kLogoutToken), question.url, question.body});
    return join({std::string(question.purpose == Purpose::jwks ? kJwks : kClientDocument), question.url});
}

std::optional<Question> read_question(std::string_view bytes) {
    if (bytes.size() > kLongestPost) return std::nullopt;
    if (const auto post = take_apart(bytes, 3); post && (*post)[0] == kLogoutToken)
        return Question{Purpose::logout_token, (*post)[1], (*post)[2]};
    const auto fields = bytes.size() > kLongestQuestion ? std::nullopt : take_apart(bytes, 2);
    if (!fields || ((*fields)[0] != kClientDocument && (*fields)[0] != kJwks)) return std::nullopt;
    return Question{(*fields)[0] == kJwks ? Purpose::jwks : Purpose::client_document, (*fields)[1]};
}

std::string write_order(const Order& order) {
    const Outbound& limits = order.limits;
    return join({write_list(limits.ports, [](std::uint16_t port) { return std::to_string(port); }),
                 write_list(limits.allow, format_network), limits.ca.value_or(""), limits.proxy.value_or(""),
                 order.methods == Methods::get ? "get" : "post", order.question});
}

std::optional<Order> read_order(std::string_view bytes) {
    const auto fields = bytes.size() > kLongestOrder ? std::nullopt : take_apart(bytes, 6);
    if (!fields) return std::nullopt;
    auto ports = read_list<std::uint16_t>((*fields)[0], util::parse_port);
    auto allow = read_list<Network>((*fields)[1], parse_network);
    const std::string& methods = (*fields)[4];
    if (!ports || !allow || (methods != "get" && methods != "post")) return std::nullopt;
    Order order;
    order.limits.ports = std::move(*ports);
    order.limits.allow = std::move(*allow);
    order.limits.ca = unless_empty((*fields)[2]);
    order.limits.proxy = unless_empty((*fields)[3]);
    order.methods = methods == "get" ? Methods::get : Methods::get_and_post;
    order.question = (*fields)[5];
    return order;
}

std::string write_reply(const Reply& reply) {
    if (!reply) return join({reply.error(), "", "", "", "", "", "", ""});
    return join({"", std::to_string(reply->status), reply->content_type, reply->cache_control, reply->expires,
                 reply->date, reply->age, reply->body});
}

Reply read_reply(std::string_view bytes) {
    const auto fields = bytes.size() > kLongestAnswer ? std::nullopt : take_apart(bytes, 8);
    if (!fields) return std::string("the program that fetches did not answer as it should");
    const Fields& f = *fields;
    if (!f[0].empty()) return f[0];
    const auto status = util::parse_digits(f[1], 999);
    if (!status) return std::string("the program that fetches gave no status");
    return Answer{static_cast<int>(*status), f[2], f[3], f[4], f[5], f[6], f[7]};
}

}  // namespace postern::fetch
