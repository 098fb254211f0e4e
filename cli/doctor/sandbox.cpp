// Checks that this system supports the sandbox that the configuration asks for.
#include "server/sandbox.h"
#include "cli/doctor/findings.h"

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

}  // namespace

void check_sandbox(Findings& findings, const config::Config& config) {
    const server::SandboxOffer offer = server::sandbox_offer();
    if (config.sandbox == config::SandboxMode::off) return findings.ok(kCheck, "switched off");
    if (offer.missing.empty()) return findings.ok(kCheck, describe(offer));
    if (config.sandbox == config::SandboxMode::require)
        return findings.error(kCheck, "no process can start: " + offer.missing, kFix);
    findings.warning(kCheck, "processes run without a part of it: " + offer.missing, kFix);
}

}  // namespace postern::cli
