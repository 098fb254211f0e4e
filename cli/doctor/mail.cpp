// Checks whether messages to users are sent, and sends one when it is asked to.
#include <unistd.h>

#include <chrono>
#include <string>
#include <system_error>

#include "cli/doctor/findings.h"
#include "cli/mail/compose.h"
#include "cli/output.h"
#include "os/file.h"
#include "os/run_program.h"
#include "store/mail_requests.h"

namespace postern::cli {
namespace {

constexpr const char* kCheck = "mail";
constexpr const char* kStart =
    "enable postern-mail.path and postern-mail.timer, or have cron run `postern mail deliver` every minute";
constexpr util::Seconds kLate = std::chrono::minutes(15);
constexpr std::chrono::seconds kLongestRun{30};

void check_command(Findings& findings, const mail::Settings& mail) {
    const std::string& program = mail.command.front();
    if (::access(program.c_str(), X_OK) != 0)
        findings.error(kCheck, program + " of mail.command cannot be run: " + os::errno_text(),
                       "install the program, or name another one in mail.command");
}

void check_waiting(Findings& findings, db::Database& database) {
    const auto counts = store::count_mail(database, util::SystemClock().now() - kLate);
    if (counts.late > 0)
        findings.warning(kCheck, counted(counts.late, "message") + " waiting for more than 15 minutes", kStart);
    if (counts.failed > 0)
        findings.warning(kCheck, counted(counts.failed, "message") + " of the last 7 days given up",
                         "`postern mail list` shows them, and `postern doctor --mail ADDRESS` what the command says");
}

}  // namespace

void check_mail(Findings& findings, db::Database& database, const config::Config& config) {
    if (!config.settings.mail) return;
    check_command(findings, *config.settings.mail);
    check_waiting(findings, database);
    findings.ok_unless_found(kCheck,
                             config.settings.mail->command.front() + " is there, and no message waits for long");
}

void check_mail_to(Findings& findings, const config::Config& config, const std::string& address) {
    constexpr const char* kSent = "test message";
    if (!config.settings.mail)
        return findings.error(kSent, "no mail is configured", "add \"mail\" to the configuration");
    const auto message = compose_test(config, address, util::SystemClock().now());
    if (!message)
        return findings.error(kSent, "the address does not fit into the header of a message", "give another address");
    const auto end = os::run_program(config.settings.mail->command, *message, kLongestRun);
    const std::string said = end.output.empty() ? "" : "; it said: " + end.output;
    if (end.succeeded)
        findings.ok(kSent, "the command has taken a message to " + address + said);
    else
        findings.error(kSent, end.reason + said, "correct mail.command, or what the program needs, and try again");
}

}  // namespace postern::cli
