// What may stand where the cursor is: the shell asks at each press of Tab, so that it never knows another command line
// than this program reads.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace postern::cli {

/// How the shell asks: `postern --complete WORD...`, the last word being the one that is typed, perhaps empty.
inline constexpr const char* kComplete = "--complete";

/// Words that begin as the last of `words` does, sorted. kFiles or kDirectories alone: names that only the shell knows.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words,
                                     const std::string& config_path);

inline constexpr const char* kFiles = ":files";
inline constexpr const char* kDirectories = ":directories";

}  // namespace postern::cli
