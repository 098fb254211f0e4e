// The messages between an endpoint, its waiting child and the program that fetches: fields of bytes behind their
// lengths.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fetch/fetcher.h"
#include "fetch/outbound.h"

namespace postern::fetch {

inline constexpr std::size_t kLongestQuestion = 4096;  ///< of an endpoint, which asks for documents alone
inline constexpr std::size_t kLongestPost = 16384;     ///< a question with a body
inline constexpr std::size_t kLongestAnswer = 81920;
inline constexpr std::size_t kLongestOrder = 65536;

std::string write_question(const Question& question);
std::optional<Question> read_question(std::string_view bytes);

/// The message to the program: its limits come from the configuration, not from the endpoint, which the network
/// reaches.
struct Order {
    Outbound limits;                 ///< ports, allow, ca and proxy; the rest is as it is made
    Methods methods = Methods::get;  ///< that a question may have
    std::string question;            ///< bytes of the endpoint's
};
std::string write_order(const Order& order);
std::optional<Order> read_order(std::string_view bytes);

/// A text that is in the file of the program that fetches, by which `postern doctor` recognises it without starting it.
/// It is in two pieces here, so that no other program has it.
inline constexpr std::string_view kMarkerBegins = "postern fetches: an order has ports, networks, ";
inline constexpr std::string_view kMarkerEnds = "certificates, proxy and question";

std::string write_reply(const Reply& reply);
/// Reads a reply; bytes that are none give a reason, too.
Reply read_reply(std::string_view bytes);

}  // namespace postern::fetch
