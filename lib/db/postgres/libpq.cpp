// Decides which libpq is used: the one of the system, by the name of its ABI.
#include "db/postgres/libpq.h"

#include <dlfcn.h>

#include <string>

#include "crypto/start.h"
#include "db/error.h"

namespace postern::db {
namespace {

constexpr const char* kLibrary = "libpq.so.5";

template <class Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (!function) throw StoreUnusable(std::string(kLibrary) + " has no " + name + ": install a later libpq5");
}

Libpq load() {
    crypto::name_digests();
    void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* reason = ::dlerror();
        throw StoreUnusable("the database is a URI, and " + std::string(reason ? reason : kLibrary) +
                            ": install the package libpq5");
    }
    Libpq functions;
#define POSTERN_FIND(name) find(library, #name, functions.name);
    POSTERN_LIBPQ(POSTERN_FIND)
#undef POSTERN_FIND
    return functions;
}

}  // namespace

const Libpq& libpq() {
    static const Libpq functions = load();
    return functions;
}

}  // namespace postern::db
