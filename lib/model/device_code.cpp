// Decides how the state of a device code is spelled in the database.
#include "model/device_code.h"

#include <algorithm>

namespace postern::model {
namespace {

struct Name {
    DeviceCodeState state;
    std::string_view text;
};
constexpr Name kNames[] = {
    {DeviceCodeState::pending, "pending"},
    {DeviceCodeState::approved, "approved"},
    {DeviceCodeState::denied, "denied"},
    {DeviceCodeState::used, "used"},
};

}  // namespace

std::string_view to_string(DeviceCodeState state) { return std::ranges::find(kNames, state, &Name::state)->text; }

std::optional<DeviceCodeState> parse_device_code_state(std::string_view name) {
    const auto* found = std::ranges::find(kNames, name, &Name::text);
    if (found == std::end(kNames)) return std::nullopt;
    return found->state;
}

}  // namespace postern::model
