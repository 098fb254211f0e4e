// The version of this release, which the file VERSION of the source tree states.
#pragma once

namespace postern::util {

/// As in "0.1.0", with the rules of https://semver.org. One object has it, so that a release compiles one file again.
extern const char* const kVersion;

}  // namespace postern::util
