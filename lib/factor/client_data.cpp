// Decides whether clientDataJSON is of this ceremony, page and challenge (WebAuthn §7.1, §7.2).
#include "factor/client_data.h"

#include "json/reader.h"
#include "util/base64.h"

namespace postern::factor {
namespace {

std::string_view type_of(Ceremony ceremony) {
    return ceremony == Ceremony::registration ? "webauthn.create" : "webauthn.get";
}

bool is_text(const json::Object& object, std::string_view name, std::string_view expected) {
    const json::Value* value = object.find(name);
    const std::string* text = value == nullptr ? nullptr : value->if_string();
    return text != nullptr && *text == expected;
}

bool is_inside_another_page(const json::Object& object) {
    if (object.find("topOrigin") != nullptr) return true;
    const json::Value* cross_origin = object.find("crossOrigin");
    if (cross_origin == nullptr) return false;
    const bool* is_cross = cross_origin->if_bool();
    return is_cross == nullptr || *is_cross;
}

}  // namespace

util::Result<void, PasskeyFault> check_client_data(std::string_view json, Ceremony ceremony, const Expected& expected) {
    if (json.size() > kMaxClientData) return PasskeyFault::client_data_long;
    const auto read = json::parse(json);
    const json::Object* object = read ? read->if_object() : nullptr;
    if (object == nullptr) return PasskeyFault::client_data_json;
    if (!is_text(*object, "type", type_of(ceremony))) return PasskeyFault::client_data_type;
    if (!is_text(*object, "challenge", util::base64url_encode(expected.challenge))) return PasskeyFault::challenge;
    if (!is_text(*object, "origin", expected.origin)) return PasskeyFault::origin;
    if (is_inside_another_page(*object)) return PasskeyFault::cross_origin;
    return {};
}

}  // namespace postern::factor
