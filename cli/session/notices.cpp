// Tells applications when a command ends sessions.
#include "cli/session/notices.h"

#include <string>
#include <system_error>

#include "cli/command.h"
#include "cli/output.h"
#include "crypto/random.h"
#include "os/file.h"

namespace postern::cli {

store::LogoutNotices logout_notices(const config::Config& config) {
    static crypto::SystemRandom random;
    const oauth::Settings& settings = config.settings;
    return {.has_clients = settings.backchannel_logout || settings.frontchannel_logout,
            .backchannel = settings.backchannel_logout,
            .random = &random};
}

void note_told(const config::Config& config, std::int64_t told) {
    if (told == 0) return;
    print_note(counted(told, "application") + " will be told that a session has ended");
    try {
        os::WakeFile file(config.logout_wake_path());
        file.request_wake();
        file.wake_if_requested();
    } catch (const std::system_error& error) {  // the timer finds the row
        print_note(std::string("they are told a minute later: ") + error.what());
    }
}

}  // namespace postern::cli
