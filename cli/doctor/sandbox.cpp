// Whether processes that serve can give up what they do not need, as the configuration wants it.
#include "cli/doctor/findings.h"
#include "server/sandbox.h"

namespace postern::cli {
namespace {

constexpr const char* kCheck = "sandbox";
constexpr const char* kFix =
    "run Linux 5.13 or newer with landlock among its security modules (lsm=), and let container and systemd pass the "
    "system calls landlock_* and seccomp; or leave it at \"sandbox\": \"auto\" and rely on the users of the processes";

std::string what_there_is(const server::SandboxOffer& offer) {
    return "Landlock " + std::to_string(offer.landlock) + " and a filter for system calls";
}

}  // namespace

void check_sandbox(Findings& findings, const config::Config& config) {
    const server::SandboxOffer offer = server::sandbox_offer();
    if (config.sandbox == config::SandboxMode::off) return findings.ok(kCheck, "it is switched off");
    if (offer.missing.empty()) return findings.ok(kCheck, what_there_is(offer));
    if (config.sandbox == config::SandboxMode::require)
        return findings.error(kCheck, "no process can start: " + offer.missing, kFix);
    findings.warning(kCheck, "processes do without a part of it: " + offer.missing, kFix);
}

}  // namespace postern::cli
