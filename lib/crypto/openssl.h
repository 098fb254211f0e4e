// How this module talks to OpenSSL: started without a configuration file, errors never carried from one use to the
// next.
#pragma once

#include <openssl/types.h>

#include <limits>
#include <memory>
#include <string_view>

#include "crypto/error.h"

namespace postern::crypto::openssl {

/// Stands at the top of every function that calls OpenSSL. The error queue belongs to the thread, so what one bad key
/// or token left in it would otherwise be read after the next operation: it is empty before and after.
class Use {
public:
    Use();
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
};

/// Throws CryptoError with our words and the library's last reason, which is for the log.
[[noreturn]] void fail(std::string_view what);

/// OpenSSL's habit: 1 is success, everything else (negative numbers too) is not.
inline void require(int result, std::string_view what) {
    if (result != 1) fail(what);
}
template <class T>
T* require(T* pointer, std::string_view what) {
    if (pointer == nullptr) fail(what);
    return pointer;
}

/// A length for the interfaces that take an int.
inline int to_int(std::size_t length) {
    if (length > static_cast<std::size_t>(std::numeric_limits<int>::max())) throw CryptoError("too many bytes at once");
    return static_cast<int>(length);
}

inline const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
inline unsigned char* bytes(char* text) { return reinterpret_cast<unsigned char*>(text); }

template <auto Free>
struct Deleter {
    template <class T>
    void operator()(T* pointer) const {
        Free(pointer);
    }
};
template <class T, auto Free>
using Owned = std::unique_ptr<T, Deleter<Free>>;

}  // namespace postern::crypto::openssl
