#include "cli/wake.h"

#include <system_error>

#include "cli/command.h"
#include "os/file.h"

namespace postern::cli {

void wake(const std::string& path, const char* otherwise) {
    try {
        os::WakeFile file(path);
        file.request_wake();
        file.wake_if_requested();
    } catch (const std::system_error& error) {
        print_note(std::string(otherwise) + ": " + error.what());
    }
}

}  // namespace postern::cli
