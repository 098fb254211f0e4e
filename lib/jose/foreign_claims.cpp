// Decides whether the times of a JWT of somebody else are good.
#include "jose/foreign_claims.h"

#include <cmath>
#include <cstdint>

#include "util/text.h"
#include "util/utf8.h"

namespace postern::jose {
namespace {

constexpr std::int64_t kTooLate = std::int64_t{1} << 53;
constexpr std::size_t kMaxJtiBytes = 256;

std::string seconds_of(util::Seconds time) { return std::to_string(time.count()) + " s"; }

/// "" without `iat`. The age is how far a clock is behind whose JWTs are sent when they are made.
std::string age_of(const json::Object& claims, util::Time now) {
    const auto iat = find_time(claims, "iat");
    return iat && *iat <= now ? ", and its \"iat\" is " + seconds_of(now - *iat) + " ago" : "";
}

}  // namespace

std::string shown(std::string_view value, std::size_t size) {
    return util::displayable(value.substr(0, util::valid_utf8_prefix(value.substr(0, size))));
}

std::optional<util::Time> find_time(const json::Object& claims, std::string_view name) {
    const json::Value* value = claims.find(name);
    if (value == nullptr) return std::nullopt;
    if (const double* number = value->if_number()) {
        const double whole = std::trunc(*number);
        if (!(*number >= 0 && whole < static_cast<double>(kTooLate))) return std::nullopt;
        return util::from_epoch(static_cast<std::int64_t>(whole));
    }
    const std::int64_t* number = value->if_integer();
    if (number == nullptr || *number < 0 || *number >= kTooLate) return std::nullopt;
    return util::from_epoch(*number);
}

util::Result<void, ClaimFault> check_times(const json::Object& claims, util::Time now, util::Seconds clock_skew) {
    for (const char* name : {"exp", "iat", "nbf"}) {
        if (claims.find(name) != nullptr && !find_time(claims, name))
            return ClaimFault{'"' + std::string(name) + "\" is not a time in seconds"};
    }
    if (const auto exp = find_time(claims, "exp"); exp && now >= *exp + kExpiryGrace)
        return ClaimFault{
            "it expired " + seconds_of(now - *exp) + " ago by the clock of this server" + age_of(claims, now), true};
    for (const char* name : {"iat", "nbf"}) {
        const auto since = find_time(claims, name);
        if (since && *since > now + clock_skew)
            return ClaimFault{'"' + std::string(name) + "\" is " + seconds_of(*since - now) +
                                  " ahead of the clock of this server, and clockSkew is " + seconds_of(clock_skew),
                              true};
    }
    return {};
}

std::optional<Audience> find_audience(const json::Object& claims) {
    const json::Value* aud = claims.find("aud");
    if (aud == nullptr) return std::nullopt;
    if (const std::string* text = aud->if_string()) return Audience{{*text}, false};
    const json::Array* list = aud->if_array();
    if (list == nullptr || list->empty()) return std::nullopt;
    Audience audience{{}, true};
    for (const json::Value& value : *list) {
        if (value.if_string() == nullptr) return std::nullopt;
        audience.values.push_back(*value.if_string());
    }
    return audience;
}

const std::string* find_jti(const json::Object& claims) {
    const std::string* text = claims.find_string("jti");
    return text != nullptr && !text->empty() && text->size() <= kMaxJtiBytes ? text : nullptr;
}

}  // namespace postern::jose
