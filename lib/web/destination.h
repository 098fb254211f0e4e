// The place to which the answer of an authorization request goes, in words that a user can judge.
#pragma once

#include <string>
#include <vector>

namespace postern::web {

/// Returns the host of an http or https address as browsers read it (`%65vil` is `evil`, 127.1 is 127.0.0.1), else the
/// scheme of an app on this device: any client can choose any name, and what follows another scheme is any text.
std::string destination(const std::string& redirect_uri);

/// Returns the different destinations in their order, with commas between: an answer may go to each of them.
std::string destinations(const std::vector<std::string>& redirect_uris);

}  // namespace postern::web
