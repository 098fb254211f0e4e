// What a message of a page is made of.
#include "text/message.h"

#include <chrono>
#include <string>

namespace postern::text {
namespace {

constexpr const char* kMonths[] = {tr("January"),   tr("February"), tr("March"),    tr("April"),
                                   tr("May"),       tr("June"),     tr("July"),     tr("August"),
                                   tr("September"), tr("October"),  tr("November"), tr("December")};

Message two_digits(std::int64_t value) { return Message::digits((value < 10 ? "0" : "") + std::to_string(value)); }

}  // namespace

Message Message::of(Kind kind, std::string text) {
    Message message;
    message.kind_ = kind;
    message.text_ = std::move(text);
    return message;
}

Message Message::verbatim(std::string text) { return of(Kind::verbatim, std::move(text)); }

Message Message::data(std::string text) { return of(Kind::data, std::move(text)); }

Message Message::number(std::int64_t value) { return digits(std::to_string(value)); }

Message Message::digits(std::string text) { return of(Kind::digits, std::move(text)); }

Message Message::in_languages(std::map<std::string, std::string> texts) {
    Message message;
    message.kind_ = Kind::in_languages;
    message.by_language_ = std::move(texts);
    return message;
}

Message shown_day(util::Time time) {
    const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
    const auto month = static_cast<unsigned>(date.month());
    return {tr("{day} {month} {year}"),
            {{"day", Message::number(static_cast<unsigned>(date.day()))},
             {"month", kMonths[month - 1]},
             {"year", Message::number(static_cast<int>(date.year()))}}};
}

Message shown_time(util::Time time) {
    const std::chrono::hh_mm_ss clock(time - std::chrono::floor<std::chrono::days>(time));
    return {tr("{date}, {hour}:{minute} UTC"),
            {{"date", shown_day(time)},
             {"hour", two_digits(clock.hours().count())},
             {"minute", two_digits(clock.minutes().count())}}};
}

}  // namespace postern::text
