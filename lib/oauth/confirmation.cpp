// Decides how the keys of a token are written and read.
#include "oauth/confirmation.h"

#include <string>

namespace postern::oauth {
namespace {

struct Member {
    const char* name;
    std::string model::Confirmation::*value;
};
constexpr Member kMembers[] = {{"jkt", &model::Confirmation::jkt}, {"x5t#S256", &model::Confirmation::x5t}};

}  // namespace

void add_confirmation(const model::Confirmation& confirmation, json::Object& object) {
    json::Object cnf;
    for (const auto& [name, value] : kMembers)
        if (!(confirmation.*value).empty()) cnf.set(name, confirmation.*value);
    if (!cnf.empty()) object.set("cnf", std::move(cnf));
}

model::Confirmation confirmation_in(const json::Object& claims) {
    model::Confirmation confirmation;
    const json::Value* cnf = claims.find("cnf");
    const json::Object* members = cnf != nullptr ? cnf->if_object() : nullptr;
    if (members == nullptr) return confirmation;
    for (const auto& [name, value] : kMembers)
        if (const std::string* text = members->find_string(name)) confirmation.*value = *text;
    return confirmation;
}

}  // namespace postern::oauth
