// Decides whether the web server is of a version in which a TLS session of the plain host can be resumed at the host
// for certificates, with one that was never shown there (MTLS-14).
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/live/live.h"
#include "os/run_program.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr const char* kCheck = "web server version";
constexpr std::chrono::seconds kLongestLook{10};

using Version = std::array<int, 3>;

struct Fault {
    std::string_view software;  ///< in front of its version, in the header Server
    const char* cve;
    bool (*is_there)(const Version& version);
    const char* corrected;
    const char* changelog;  ///< of Debian's package, which corrects old versions
};

constexpr Fault kFaults[] = {
    {"Apache/", "CVE-2025-23048",
     [](const Version& version) {
         return version >= Version{2, 4, 35} && version < Version{2, 4, 64};
     },
     "Apache 2.4.64 or newer", "/usr/share/doc/apache2/changelog.Debian.gz"},
    {"nginx/", "CVE-2025-23419",
     [](const Version& version) {
         const bool is_mainline = version >= Version{1, 27, 0};
         return version >= Version{1, 11, 4} && version < (is_mainline ? Version{1, 27, 4} : Version{1, 26, 3});
     },
     "nginx 1.26.3, 1.27.4 or newer", "/usr/share/doc/nginx/changelog.Debian.gz"},
};

std::optional<Version> parse_version(std::string_view text) {
    Version version{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0; i < version.size(); ++i) {
        if (i > 0 && (at == end || *at++ != '.')) return std::nullopt;
        const auto read = std::from_chars(at, end, version[i]);
        if (read.ec != std::errc()) return std::nullopt;
        at = read.ptr;
    }
    return version;
}

/// Whether this machine has Debian's package of that version, and its changelog names the correction.
bool is_corrected_here(const Fault& fault, const std::string& version) {
    const auto latest = os::run_program({"/usr/bin/zgrep", "-m1", "-e", "^[a-z]", fault.changelog}, "", kLongestLook);
    return latest.succeeded && latest.output.find("(" + version + "-") != std::string::npos &&
           os::run_program({"/usr/bin/zgrep", "-q", fault.cve, fault.changelog}, "", kLongestLook).succeeded;
}

void check(Findings& findings, const std::string& software, const Fault& fault) {
    const std::string text = software.substr(fault.software.size(), software.find(' ') - fault.software.size());
    const auto version = parse_version(text);
    if (!version) return;
    if (!fault.is_there(*version)) return findings.ok(kCheck, software);
    if (is_corrected_here(fault, text))
        return findings.ok(kCheck, software + ", whose package on this machine corrects " + fault.cve);
    findings.warning(kCheck,
                     software + " may resume a TLS session of one host at another one (" + fault.cve +
                         "), where mtls takes it for one with a certificate",
                     std::string("install ") + fault.corrected +
                         ", or a package with the correction; on Debian its changelog names it: " +
                         util::ShellCommand("zgrep").value(fault.cve).path(fault.changelog).quoted());
}

}  // namespace

void check_web_server_version(Findings& findings, const Site& site) {
    if (!site.settings().mtls) return;
    for (const Fault& fault : kFaults)
        if (site.software.starts_with(fault.software)) check(findings, site.software, fault);
    findings.ok_unless_found(kCheck,
                             "the header Server tells none of a server that is known to resume TLS sessions of "
                             "other hosts");
}

}  // namespace postern::cli
