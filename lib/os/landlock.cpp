// Speaks to the kernel by numbers and structures of its own: headers of older systems know Landlock in part or not at
// all, and what the running kernel offers is asked for in any case.
#include "os/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include "os/file.h"

namespace postern::os {

namespace {

// These numbers are the same on every architecture: landlock_create_ruleset(2), landlock_add_rule(2),
// landlock_restrict_self(2).
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr std::uint32_t kAskVersion = 1;
constexpr int kPathBeneath = 1;
constexpr int kNetPort = 2;

using Rights = std::uint64_t;
constexpr Rights kWriteFile = 1U << 1;
constexpr Rights kReadFile = 1U << 2;
constexpr Rights kReadDirectory = 1U << 3;
constexpr Rights kRemoveDirectory = 1U << 4;
constexpr Rights kRemoveFile = 1U << 5;
constexpr Rights kMakeDirectory = 1U << 7;
constexpr Rights kMakeFile = 1U << 8;
constexpr Rights kRefer = 1U << 13;
constexpr Rights kTruncate = 1U << 14;
constexpr Rights kOfFiles = kWriteFile | kReadFile | kTruncate;  // the others are of directories

/// The rights that a version of Landlock can forbid, with the rights of earlier versions.
struct Version {
    int number;
    Rights files;    // bits of access to the file system
    Rights network;  // 1: bind, 2: connect, of TCP
    Rights scoped;   // 1: abstract Unix sockets, 2: signals
};
constexpr Version kVersions[] = {
    {1, (1U << 13) - 1, 0, 0}, {2, (1U << 14) - 1, 0, 0}, {3, (1U << 15) - 1, 0, 0},
    {4, (1U << 15) - 1, 3, 0}, {5, (1U << 16) - 1, 3, 0}, {6, (1U << 16) - 1, 3, 3},
};
constexpr Rights kConnect = 2;
constexpr Rights kAbstractSockets = 1;

struct RulesetAttributes {
    Rights files;
    Rights network;
    Rights scoped;
};
struct __attribute__((packed)) PathBeneath {
    Rights allowed;
    std::int32_t parent;
};
struct NetPort {
    Rights allowed;
    std::uint64_t port;
};

Version known_version(int offered) {
    Version known = kVersions[0];
    for (const Version& version : kVersions) {
        if (version.number <= offered) known = version;
    }
    return known;
}

Rights rights_of(FileUse use) {
    switch (use) {
        case FileUse::read:
            return kReadFile;
        case FileUse::browse:
            return kReadFile | kReadDirectory;
        case FileUse::rewrite:
            return kReadFile | kWriteFile | kTruncate;
        case FileUse::anything:
            break;
    }
    return kReadFile | kReadDirectory | kWriteFile | kTruncate | kMakeFile | kMakeDirectory | kRemoveFile |
           kRemoveDirectory | kRefer;
}

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error("sandbox: " + what + ": " + errno_text()); }

/// `handled` is what the ruleset forbids: a rule can allow no more.
void add_rule(const Descriptor& ruleset, const FileRule& rule, Rights handled) {
    const Descriptor parent(::open(rule.path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (!parent || ::fstat(parent.get(), &status) != 0) fail(rule.path + " cannot be opened");
    PathBeneath beneath{rights_of(rule.use) & handled, parent.get()};
    if (!S_ISDIR(status.st_mode)) beneath.allowed &= kOfFiles;
    if (::syscall(kAddRule, ruleset.get(), kPathBeneath, &beneath, 0) != 0) fail(rule.path + " cannot be a rule");
}

void add_port(const Descriptor& ruleset, std::uint16_t port) {
    const NetPort rule{kConnect, port};
    if (::syscall(kAddRule, ruleset.get(), kNetPort, &rule, 0) != 0)
        fail("port " + std::to_string(port) + " cannot be a rule");
}

}  // namespace

int landlock_version(std::string& reason) {
    const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
    if (version > 0) return static_cast<int>(version);
    reason = errno == ENOSYS       ? "this kernel has no Landlock"
             : errno == EOPNOTSUPP ? "Landlock is disabled; see the kernel parameter lsm="
                                   : "Landlock is refused: " + errno_text();
    return 0;
}

void restrict_files(const std::vector<FileRule>& rules, const Connections& connections) {
    std::string reason;
    const int offered = landlock_version(reason);
    if (offered == 0) throw std::runtime_error("sandbox: " + reason);
    const Version version = known_version(offered);
    const bool reaches_abstract = connections.anywhere || connections.abstract_sockets;
    const RulesetAttributes attributes{version.files, version.network & (connections.anywhere ? ~kConnect : ~Rights{0}),
                                       version.scoped & (reaches_abstract ? ~kAbstractSockets : ~Rights{0})};
    // An older kernel knows the first members alone, and takes more of them when they are zero.
    const Descriptor ruleset(
        static_cast<int>(::syscall(kCreateRuleset, &attributes, sizeof attributes, std::uint32_t{0})));
    if (!ruleset) fail("Landlock's rules cannot be made");
    for (const FileRule& rule : rules) add_rule(ruleset, rule, version.files);
    if ((attributes.network & kConnect) != 0) {
        for (const std::uint16_t port : connections.ports) add_port(ruleset, port);
    }
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs was refused");
    if (::syscall(kRestrictSelf, ruleset.get(), std::uint32_t{0}) != 0) fail("Landlock's rules cannot be obeyed");
}

}  // namespace postern::os
