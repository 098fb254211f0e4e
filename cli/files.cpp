// Decides who owns what `postern` writes.
#include "cli/files.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/output.h"
#include "os/file.h"
#include "util/text.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

#ifdef POSTERN_STATIC
struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

/// The first entry of `file` that `is_it` accepts; valid until the next call.
template <class Entry, class Read, class IsIt>
const Entry* find_in(const char* file, Read read, IsIt is_it) {
    const std::unique_ptr<std::FILE, Close> open(std::fopen(file, "re"));
    if (!open) return nullptr;
    while (const Entry* entry = read(open.get())) {
        if (is_it(*entry)) return entry;
    }
    return nullptr;
}

const passwd* find_user(const std::string& name) {
    return find_in<passwd>("/etc/passwd", fgetpwent, [&](const passwd& entry) { return name == entry.pw_name; });
}
const passwd* find_user(uid_t id) {
    return find_in<passwd>("/etc/passwd", fgetpwent, [&](const passwd& entry) { return id == entry.pw_uid; });
}
const group* find_group(const std::string& name) {
    return find_in<group>("/etc/group", fgetgrent, [&](const group& entry) { return name == entry.gr_name; });
}
const group* find_group(gid_t id) {
    return find_in<group>("/etc/group", fgetgrent, [&](const group& entry) { return id == entry.gr_gid; });
}
#else
const passwd* find_user(const std::string& name) { return getpwnam(name.c_str()); }
const passwd* find_user(uid_t id) { return getpwuid(id); }
const group* find_group(const std::string& name) { return getgrnam(name.c_str()); }
const group* find_group(gid_t id) { return getgrgid(id); }
#endif

std::optional<gid_t> group_id(const std::string& name) {
    if (const group* entry = find_group(name)) return entry->gr_gid;
    return std::nullopt;
}

/// Returns "on this machine", or the files that a static program reads.
const char* where_accounts_are() {
#ifdef POSTERN_STATIC
    return "in /etc/passwd and /etc/group, the only places where a static program looks (a numeric id works too)";
#else
    return "on this machine";
#endif
}

constexpr std::int64_t kMaxId = 0xfffffffe;

[[noreturn]] void throw_unknown_account(const char* kind, const std::string& name) {
    throw Refused(std::string("there is no ") + kind + " " + in_quotes(name) + " " + where_accounts_are() +
                  "; create it first, or name another one");
}

uid_t parse_user(const std::string& text) {
    if (const auto id = user_id(text)) return *id;
    if (const auto number = util::parse_digits(text, kMaxId)) return static_cast<uid_t>(*number);
    throw_unknown_account("user", text);
}

constexpr auto kSameUser = static_cast<uid_t>(-1);

gid_t parse_group(const std::string& text) {
    if (const auto id = group_id(text)) return *id;
    if (const auto number = util::parse_digits(text, kMaxId)) return static_cast<gid_t>(*number);
    throw_unknown_account("group", text);
}

Owner parse_owner(const std::string& text) {
    const auto colon = text.find(':');
    if (colon == 0 || colon == std::string::npos || colon + 1 == text.size()) {
        throw UsageError("--owner must be USER:GROUP, for example postern:www-data");
    }
    return {parse_user(text.substr(0, colon)), parse_group(text.substr(colon + 1))};
}

}  // namespace

std::optional<uid_t> user_id(const std::string& name) {
    if (const passwd* entry = find_user(name)) return entry->pw_uid;
    return std::nullopt;
}

bool is_member(const std::string& user, gid_t id) {
    const passwd* account = find_user(user);
    if (account == nullptr) return false;
    if (account->pw_gid == id) return true;
    const group* entry = find_group(id);
    if (entry == nullptr) return false;
    for (char** member = entry->gr_mem; *member != nullptr; ++member)
        if (user == *member) return true;
    return false;
}

std::string user_name(uid_t id) {
    const passwd* entry = find_user(id);
    return entry ? entry->pw_name : std::to_string(id);
}

std::string group_name(gid_t id) {
    const group* entry = find_group(id);
    return entry ? entry->gr_name : std::to_string(id);
}

fs::path directory_of(const fs::path& file) {
    const fs::path parent = file.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

std::vector<fs::path> side_files(const config::Config& config) {
    const std::string name = fs::path(config.database).filename();
    std::vector<fs::path> files;
    for (const fs::path& entry : entries_of(directory_of(config.database))) {
        const std::string entry_name = entry.filename();
        if (entry_name.starts_with(name)) files.push_back(entry);
    }
    std::error_code error;
    if (fs::exists(config.ring_path(), error)) files.emplace_back(config.ring_path());
    return files;
}

std::vector<fs::path> key_files(const fs::path& directory) {
    std::vector<fs::path> files;
    for (const fs::path& entry : entries_of(directory)) {
        const bool ours = entry.extension() == ".pem" || entry.filename() == "jwks.json" ||
                          entry.filename() == "seal.key" || entry.filename() == "factor.key";
        if (ours) files.push_back(entry);
    }
    return files;
}

std::vector<fs::path> private_files(const fs::path& directory) {
    auto files = key_files(directory);
    std::erase_if(files, [](const fs::path& file) { return file.filename() == "jwks.json"; });
    return files;
}

gid_t KeyGroups::readers_of(const fs::path& file) const {
    if (file.extension() == ".pem") return signers;
    return file.filename() == "factor.key" ? factors : sealers;
}

std::optional<KeyGroups> key_groups(const fs::path& directory) {
    struct stat all {};
    struct stat seal {};
    if (stat(directory.c_str(), &all) != 0 || lstat((directory / "seal.key").c_str(), &seal) != 0) return std::nullopt;
    // A key with the group of the directory or of seal.key may have a wrong group: prefer another key, and the newest.
    const auto worth = [&](const struct stat& key) { return std::pair(key.st_gid != all.st_gid, key.st_mtime); };
    std::optional<struct stat> model;
    for (const fs::path& file : private_files(directory)) {
        struct stat status {};
        if (file.extension() != ".pem" || lstat(file.c_str(), &status) != 0 || status.st_gid == seal.st_gid) continue;
        if (!model || worth(status) > worth(*model)) model = status;
    }
    if (!model) return std::nullopt;
    KeyGroups groups{.signers = model->st_gid, .sealers = seal.st_gid, .factors = seal.st_gid};
    struct stat factor {};
    if (lstat((directory / "factor.key").c_str(), &factor) == 0) groups.factors = factor.st_gid;
    return groups;
}

std::set<fs::path> entries_of(const fs::path& directory) {
    std::set<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
        entries.insert(at->path());
    return entries;
}

void make_directory(const fs::path& directory, mode_t mode, os::NewFiles& made) {
    const fs::path innermost = directory.has_filename() ? directory : directory.parent_path();  // "keys/" is "keys"
    std::vector<fs::path> missing;
    std::error_code unknown;  // then mkdir says why
    for (fs::path path = innermost; !path.empty() && !fs::exists(path, unknown); path = path.parent_path())
        missing.push_back(path);
    std::ranges::reverse(missing);
    for (const fs::path& path : missing) {
        if (mkdir(path.c_str(), 0700) != 0) {
            if (errno == EEXIST && fs::is_directory(path, unknown)) continue;  // another command was faster
            throw Refused("cannot create the directory " + path.string() + ": " + std::strerror(errno));
        }
        made.add(path);
        // Not with mkdir, where the umask and a set-group-id parent change the mode.
        if (chmod(path.c_str(), path == innermost ? mode : 0755) != 0) {
            throw Refused("cannot set the mode of " + path.string() + ": " + std::strerror(errno));
        }
    }
}

void give(const fs::path& path, Owner owner, std::optional<mode_t> mode) {
    const auto throw_not_given = [&] {
        throw Refused("cannot change the owner of " + path.string() + ": " + std::strerror(errno) +
                      "; run this as root");
    };
    const os::Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file && (errno == ENOENT || errno == ELOOP)) return;
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0 || fchown(file.get(), owner.user, owner.group) != 0) throw_not_given();
    if (fchmod(file.get(), mode.value_or(status.st_mode & 07777)) != 0) throw_not_given();
}

void add_owner_options(const Command& command, OwnerOptions& options) {
    command.option("--owner", "USER:GROUP", options.all,
                   "Owner of everything that is created, and of existing empty directories for it: the user and group "
                   "of the serving processes");
    const Option signers = command.option(
        "--signers", "GROUP", options.signers,
        "If each endpoint runs as its own user: the group that may read the signing keys (the group of token)");
    const Option sealers = command.option(
        "--sealers", "GROUP", options.sealers,
        "The group that may read seal.key (the group of authorize, login, scopes, logout, account and recover)");
    command
        .option("--factors", "GROUP", options.factors,
                "The group that may read factor.key (the group of login and account); without it, that of --sealers")
        .needs(sealers);
    signers.needs(sealers);
    sealers.needs(signers);
}

Owners resolve(const OwnerOptions& options) {
    Owners owners;
    if (!options.all.empty()) owners.all = parse_owner(options.all);
    if (!options.signers || !options.sealers) return owners;
    owners.groups = {.signers = parse_group(*options.signers),
                     .sealers = parse_group(*options.sealers),
                     .factors = parse_group(options.factors ? *options.factors : *options.sealers)};
    if (owners.groups->signers == owners.groups->sealers)
        throw UsageError(
            "--signers and --sealers name the same group; leave both out to have one group for everything");
    if (owners.groups->signers == owners.groups->factors)
        throw UsageError("--signers and --factors name the same group, which is that of token alone");
    return owners;
}

void divide(const KeyGroups& groups, const std::string& directory) {
    for (const fs::path& file : private_files(directory)) give(file, {kSameUser, groups.readers_of(file)}, kGroupReads);
}

}  // namespace postern::cli
