// The levels of a login and their names: one table.
#include "oauth/acr.h"

#include <algorithm>
#include <array>

#include "util/text.h"

namespace postern::oauth {
namespace {

using model::Level;

struct LevelName {
    Level level;
    std::string_view acr;
};
constexpr std::array kLevelNames = {LevelName{Level::password, kPasswordAcr},
                                    LevelName{Level::second_factor, kSecondFactorAcr},
                                    LevelName{Level::phishing_resistant, kPhishingResistantAcr}};

std::string own_name(Level level) {
    for (const LevelName& name : kLevelNames)
        if (name.level == level) return std::string(name.acr);
    return "";
}

Level named(const Settings& settings, std::string_view acr) {
    for (const LevelName& name : kLevelNames)
        if (name.acr == acr) return name.level;
    const auto found = settings.login.acr_names.find(std::string(acr));
    return found == settings.login.acr_names.end() ? Level::unknown : static_cast<Level>(found->second);
}

Level lower(Level one, Level other) {
    if (one == Level::unknown || other == Level::unknown) return std::max(one, other);
    return std::min(one, other);
}

}  // namespace

bool offers_passkeys(const Settings& settings) {
    const login::Settings& login = settings.login;
    return knows_how_users_log_in(settings) && login.passkeys != login::Passkeys::off && !login.rp_id.empty();
}

std::string_view rp_id_of_second_factor(const Settings& settings) {
    const bool counts = offers_passkeys(settings) && settings.login.second_factor != login::SecondFactor::off;
    return counts ? std::string_view(settings.login.rp_id) : std::string_view();
}

Level highest_level(const Settings& settings) {
    if (!knows_how_users_log_in(settings)) return Level::unknown;
    if (settings.login.second_factor == login::SecondFactor::off)
        return settings.login.has_page() ? Level::password : static_cast<Level>(settings.login.remote_level);
    return offers_passkeys(settings) ? Level::phishing_resistant : Level::second_factor;
}

std::optional<Level> level_named(const Settings& settings, std::string_view acr) {
    const Level level = named(settings, acr);
    if (level == Level::unknown || level > highest_level(settings)) return std::nullopt;
    return level;
}

std::vector<std::string> supported_acr_values(const Settings& settings) {
    std::vector<std::string> values;
    const Level highest = highest_level(settings);
    for (const LevelName& own : kLevelNames) {
        if (own.level > highest) break;
        values.emplace_back(own.acr);
        for (const auto& [name, level] : settings.login.acr_names)
            if (static_cast<Level>(level) == own.level) values.push_back(name);
    }
    return values;
}

std::string acr_of_login(const Settings& settings, Level level, const model::RequestedAcr& asked) {
    if (level == Level::unknown) return "";
    for (const std::string_view name : util::split(asked.names, ' ')) {
        const Level wanted = named(settings, name);
        if (wanted != Level::unknown && wanted <= level) return std::string(name);
    }
    return own_name(level);
}

void add_acr_values(const Settings& settings, model::RequestedAcr& asked, const std::vector<std::string>& values,
                    AcrNeed need) {
    for (const std::string& value : values) {
        const auto level = level_named(settings, value);
        if (!level) continue;
        asked.names.append(asked.names.empty() ? "" : " ").append(value);
        Level& least = need == AcrNeed::essential ? asked.demanded : asked.wished;
        least = lower(least, *level);
    }
}

void add_authentication(const model::Grant& grant, json::Object& claims) {
    if (!grant.acr.empty()) claims.set("acr", grant.acr);
    if (!grant.amr.empty()) claims.set("amr", json::strings(model::methods_of(grant.amr)));
}

}  // namespace postern::oauth
