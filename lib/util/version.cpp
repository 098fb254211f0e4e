#include "util/version.h"

namespace postern::util {

const char* const kVersion = POSTERN_VERSION;  // the Makefile reads VERSION

}  // namespace postern::util
