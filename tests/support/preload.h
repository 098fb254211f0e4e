// A library that a program loads before all others: what it defines stands in front of the C library's.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace postern::test {

/// Adds LD_PRELOAD for `library`, and to this process's ASAN_OPTIONS that the sanitizer's own library may come behind
/// it.
void preload(std::map<std::string, std::string>& environment, const std::filesystem::path& library);

}  // namespace postern::test
