// The version of this release, which the file VERSION of the source tree states.
#pragma once

namespace postern::util {

/// The version, such as "0.1.0", by the rules of https://semver.org. A single object file has it, so that a release
/// compiles only one file again.
extern const char* const kVersion;

}  // namespace postern::util
