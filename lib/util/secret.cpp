// How secret bytes leave memory.
#include "util/secret.h"

#include <string.h>  // explicit_bzero

#include <utility>

namespace postern::util {

// A moved-from short string still holds its characters inside the object, so every source is wiped as well.
Secret::Secret(std::string bytes) : bytes_(std::move(bytes)) { wipe(bytes); }

Secret::Secret(Secret&& other) noexcept : bytes_(std::move(other.bytes_)) { wipe(other.bytes_); }

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this == &other) return *this;
    wipe(bytes_);
    bytes_ = std::move(other.bytes_);
    wipe(other.bytes_);
    return *this;
}

Secret::~Secret() { wipe(bytes_); }

void wipe(std::string& bytes) noexcept {
    bytes.resize(bytes.capacity());  // what an earlier, longer value left behind goes too; never allocates
    explicit_bzero(bytes.data(), bytes.size());
    bytes.clear();
}

}  // namespace postern::util
