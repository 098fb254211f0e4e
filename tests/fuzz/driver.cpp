// libFuzzer's entry: the environment variable FUZZ_TARGET says which target is driven.

// The precompiled header puts a part of doctest into each object, which needs the implementation to link. No test runs.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/targets.h"

using namespace postern::test;

namespace {

const FuzzTarget& chosen() {
    const char* name = std::getenv("FUZZ_TARGET");
    for (const FuzzTarget& target : fuzz_targets())
        if (name && target.name == name) return target;
    for (const FuzzTarget& target : fuzz_targets())
        std::fprintf(stderr, "%.*s\n", static_cast<int>(target.name.size()), target.name.data());
    std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const FuzzTarget& target = chosen();
    try {
        target.run({reinterpret_cast<const char*>(data), size});
    } catch (const FalsePromise& broken) {
        std::fprintf(stderr, "broken promise: %s\n", broken.promise);
        std::abort();
    }
    return 0;
}
