// Tells whether the compiler adds a sanitizer, whose runtime makes system calls of its own.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define POSTERN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define POSTERN_SANITIZED 1
#endif
#endif

namespace postern::util {

#ifdef POSTERN_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace postern::util
