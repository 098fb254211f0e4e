// How a signing key is shown: its state, and when it may be deleted.
#pragma once

#include <vector>

#include "json/value.h"
#include "keys/keys.h"
#include "oauth/settings.h"

namespace postern::cli {

json::Object to_json(const keys::KeyInfo& key, const oauth::Settings& settings);
void print_keys(const std::vector<keys::KeyInfo>& keys, const oauth::Settings& settings);

}  // namespace postern::cli
