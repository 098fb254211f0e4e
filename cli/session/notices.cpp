// Tells applications when a command ends sessions.
#include "cli/session/notices.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/wake.h"
#include "crypto/random.h"
#include "oauth/session_note.h"

namespace postern::cli {

store::LogoutNotices logout_notices(const config::Config& config) {
    static crypto::SystemRandom random;
    return oauth::logout_notices(config.settings, random);
}

void note_told(const config::Config& config, const store::ToldClients& told) {
    if (told.empty()) return;
    print_note(counted(static_cast<std::int64_t>(told.size()), "application") +
               " will be told that a session has ended");
    wake(config.logout_wake_path(), "they are told a minute later");
}

}  // namespace postern::cli
