// Decides how the state of a device code is spelled in the database.
#include "model/device_code.h"

#include "model/named.h"

namespace postern::model {
namespace {

constexpr Named<DeviceCodeState> kStates[] = {
    {DeviceCodeState::pending, "pending"},
    {DeviceCodeState::approved, "approved"},
    {DeviceCodeState::denied, "denied"},
    {DeviceCodeState::used, "used"},
};

}  // namespace

std::string_view to_string(DeviceCodeState state) { return name_of(kStates, state); }
std::optional<DeviceCodeState> parse_device_code_state(std::string_view name) { return find_named(kStates, name); }

}  // namespace postern::model
