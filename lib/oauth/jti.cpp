// Puts grants into order, and names them in tokens.
#include "oauth/jti.h"

#include <array>
#include <cstdio>

namespace postern::oauth {

model::GrantId make_grant_id(crypto::Random& random, util::Time now) {
    std::array<char, 17> digits;
    const auto seconds = static_cast<unsigned long long>(util::to_epoch(now));
    const int size = std::snprintf(digits.data(), digits.size(), "%08llx", seconds);
    return model::GrantId(std::string(digits.data(), static_cast<std::size_t>(size)) + crypto::random_id(random));
}

std::string make_jti(crypto::Random& random, const model::GrantId& grant) {
    return grant.str() + '.' + crypto::random_id(random);
}

model::GrantId grant_of(const json::Object& claims) {
    const json::Value* jti = claims.find("jti");
    const std::string* text = jti ? jti->if_string() : nullptr;
    return text ? model::GrantId(text->substr(0, text->find('.'))) : model::GrantId();
}

}  // namespace postern::oauth
