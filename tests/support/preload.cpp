// Preloads a library, under a sanitizer as well.
#include "support/preload.h"

#include <cstdlib>

namespace postern::test {

void preload(std::map<std::string, std::string>& environment, const std::filesystem::path& library) {
    const char* asan = std::getenv("ASAN_OPTIONS");
    environment["LD_PRELOAD"] = library.string();
    environment["ASAN_OPTIONS"] = std::string(asan ? asan : "") + (asan ? ":" : "") + "verify_asan_link_order=0";
}

}  // namespace postern::test
