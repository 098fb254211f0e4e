// Checks what the sandbox, the program that fetches and the command that sends mail need of this system.
#include <unistd.h>

#include <chrono>
#include <string>
#include <system_error>

#include "cli/doctor/findings.h"
#include "cli/mail/compose.h"
#include "cli/output.h"
#include "fetch/messages.h"
#include "os/file.h"
#include "os/landlock.h"
#include "os/read_file.h"
#include "os/run_program.h"
#include "server/sandbox.h"
#include "store/logout_outbox.h"
#include "store/mail_requests.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr const char* kCheck = "sandbox";
constexpr const char* kFix =
    "run Linux 5.13 or newer with landlock in the kernel parameter lsm=, and allow the system calls landlock_* and "
    "seccomp in the container and in systemd; or keep \"sandbox\": \"auto\" and rely on separate users for the "
    "processes";

std::string describe(const server::SandboxOffer& offer) {
    return "Landlock version " + std::to_string(offer.landlock) + " and a system call filter";
}

constexpr const char* kOutbound = "outbound";
constexpr int kLandlockOfTcp = 4;
constexpr std::size_t kLongestProgram = std::size_t{64} << 20;  // with symbols, and sanitizers

/// It is not started: this may be another program, and root who asks. A file that cannot be read is not judged.
void check_marker(Findings& findings, const std::string& program) {
    const std::string marker = std::string(fetch::kMarkerBegins).append(fetch::kMarkerEnds);
    const auto file = os::read_file(program, {.bytes = kLongestProgram, .links = os::Links::followed});
    const bool can_be_read = file || file.error().fault != os::FileFault::not_opened;
    if (!can_be_read || (file && file->find(marker) != file->npos)) return;
    findings.error(kOutbound, program + " is not the program that fetches, so no document is read",
                   "leave \"outbound.program\" out, or name libexec/postern/fetch of this version");
}

void check_program(Findings& findings, const std::string& program) {
    if (::access(program.c_str(), F_OK) != 0)
        return findings.error(
            kOutbound, program + ", which fetches, is not there",
            "install the package postern-fetch, or build with libcurl4-openssl-dev installed, or name "
            "the program in \"outbound.program\"");
    if (::access(program.c_str(), X_OK) != 0)
        return findings.error(kOutbound, program + ", which fetches, cannot be executed",
                              util::ShellCommand("chmod 755").path(program).text());
    check_marker(findings, program);
}

void check_authorities(Findings& findings, const fetch::Outbound& outbound) {
    if (outbound.ca && ::access(outbound.ca->c_str(), R_OK) != 0)
        findings.error(kOutbound, *outbound.ca + ", the certificates of \"outbound.ca\", cannot be read",
                       "put a PEM file there that the serving processes can read");
}

void check_kernel(Findings& findings) {
    std::string reason;
    if (os::landlock_version(reason) >= kLandlockOfTcp) return;
    findings.warning(kOutbound,
                     "this kernel cannot restrict the ports to which the fetching program connects: Landlock version 4 "
                     "can",
                     "run Linux 6.7 or newer with landlock in the kernel parameter lsm=");
}

constexpr const char* kMail = "mail";
constexpr const char* kStart =
    "enable postern-mail.path and postern-mail.timer, or have cron run `postern mail deliver` every minute";
constexpr util::Seconds kLate = std::chrono::minutes(15);
constexpr std::chrono::seconds kLongestRun{30};

void check_command(Findings& findings, const mail::Settings& mail) {
    const std::string& program = mail.command.front();
    if (::access(program.c_str(), X_OK) != 0)
        findings.error(kMail, program + " of mail.command cannot be run: " + os::errno_text(),
                       "install the program, or name another one in mail.command");
}

void check_waiting(Findings& findings, db::Database& database) {
    const auto counts = store::count_mail(database, util::SystemClock().now() - kLate);
    if (counts.late > 0)
        findings.warning(kMail, counted(counts.late, "message") + " waiting for more than 15 minutes", kStart);
    if (counts.failed > 0)
        findings.warning(kMail, counted(counts.failed, "message") + " of the last 7 days given up",
                         "`postern mail list` shows them, and `postern doctor --mail ADDRESS` what the command says");
}

constexpr util::Seconds kLateLogout = std::chrono::hours(1);

/// Reports a client with an address for a kind of logout that is off: the server never tells it.
void check_silent_clients(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    constexpr const char* kLogouts = "logouts";
    const auto look = [&](bool is_on, const char* name, const char* key) {
        if (is_on) return;
        auto row = database.query(
            "SELECT id FROM clients WHERE details <> '' AND replace(details, $1, '') <> details ORDER BY id LIMIT 1",
            name);
        if (!row.step()) return;
        std::string id;
        row >> id;
        findings.warning(
            kLogouts, "client " + id + ", and perhaps others, have a " + name + " and are not told: " + key + " is off",
            std::string("set \"") + key +
                "\" in the configuration, or take the address away with `postern "
                "client set`");
    };
    look(settings.backchannel_logout, "backchannel_logout_uri", "backchannelLogout");
    look(settings.frontchannel_logout, "frontchannel_logout_uri", "frontchannelLogout");
}

}  // namespace

void check_sandbox(Findings& findings, const config::Config& config) {
    const server::SandboxOffer offer = server::sandbox_offer();
    if (config.sandbox == config::SandboxMode::off) return findings.ok(kCheck, "switched off");
    if (offer.missing.empty()) return findings.ok(kCheck, describe(offer));
    if (config.sandbox == config::SandboxMode::require)
        return findings.error(kCheck, "no process can start: " + offer.missing, kFix);
    findings.warning(kCheck, "processes run without a part of it: " + offer.missing, kFix);
}

void check_outbound(Findings& findings, const config::Config& config) {
    const fetch::Outbound& outbound = config.settings.outbound;
    if (!outbound.enabled) return;
    check_program(findings, outbound.program);
    check_authorities(findings, outbound);
    check_kernel(findings);
    findings.ok_unless_found(kOutbound, outbound.program + " fetches documents of clients");
}

void check_mail(Findings& findings, db::Database& database, const config::Config& config) {
    if (!config.settings.mail) return;
    check_command(findings, *config.settings.mail);
    check_waiting(findings, database);
    findings.ok_unless_found(kMail, config.settings.mail->command.front() + " is there, and no message waits for long");
}

void check_logouts(Findings& findings, db::Database& database, const config::Config& config) {
    constexpr const char* kLogouts = "logouts";
    check_silent_clients(findings, database, config.settings);
    if (!config.settings.backchannel_logout) return;
    const auto counts = store::count_notices(database, util::SystemClock().now() - kLateLogout);
    if (counts.late > 0)
        findings.warning(kLogouts, counted(counts.late, "logout token") + " waiting for more than an hour",
                         "enable postern-notify.path and postern-notify.timer, or have cron run `postern session "
                         "deliver` every minute; the log says which applications do not answer");
    findings.ok_unless_found(kLogouts, "no logout token waits for long");
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
