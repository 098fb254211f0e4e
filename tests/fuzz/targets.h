// Every parser of bytes that come from outside, as a function that any bytes may be given to.
#pragma once

#include <string_view>
#include <vector>

namespace postern::test {

/// `run` answers for whatever input; it throws FalsePromise when the parser broke a promise of its header, and anything
/// else that comes out of it is a defect too.
struct FuzzTarget {
    std::string_view name;  ///< also the folder of its seeds: tests/fuzz/seeds/NAME/
    void (*run)(std::string_view input);
};

/// Returns every target that FUZZ_TARGET has added.
inline std::vector<FuzzTarget>& fuzz_targets() {
    static std::vector<FuzzTarget> all;
    return all;
}

struct AddedTarget {
    AddedTarget(std::string_view name, void (*run)(std::string_view)) { fuzz_targets().push_back({name, run}); }
};

/// FUZZ_TARGET(cookie) { ... } defines a target and adds it; its body reads `input`.
#define FUZZ_TARGET(name)                                      \
    static void fuzz_##name(std::string_view input);           \
    static const AddedTarget added_##name(#name, fuzz_##name); \
    static void fuzz_##name(std::string_view input)

struct FalsePromise {
    const char* promise;
};

inline void promise(bool kept, const char* what) {
    if (!kept) throw FalsePromise{what};
}

}  // namespace postern::test
