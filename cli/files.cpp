// Decides who owns what `postern` writes.
#include "files.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "command.h"
#include "output.h"
#include "util/text.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMaxId = 0xfffffffe;

uid_t find_user(const std::string& name) {
    if (const passwd* entry = getpwnam(name.c_str())) return entry->pw_uid;
    if (const auto number = util::parse_digits(name, kMaxId)) return static_cast<uid_t>(*number);
    throw Refused("there is no user " + in_quotes(name) + " on this machine; create it first, or name another one");
}

gid_t find_group(const std::string& name) {
    if (const group* entry = getgrnam(name.c_str())) return entry->gr_gid;
    if (const auto number = util::parse_digits(name, kMaxId)) return static_cast<gid_t>(*number);
    throw Refused("there is no group " + in_quotes(name) + " on this machine; create it first, or name another one");
}

}  // namespace

Owner parse_owner(const std::string& text) {
    const auto colon = text.find(':');
    if (colon == 0 || colon == std::string::npos || colon + 1 == text.size()) {
        throw UsageError("--owner wants USER:GROUP, for example postern:www-data");
    }
    return {find_user(text.substr(0, colon)), find_group(text.substr(colon + 1))};
}

fs::path directory_of(const fs::path& file) {
    const fs::path parent = file.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

std::string ring_path(const std::string& database) { return directory_of(database) / "refusals.ring"; }

std::vector<fs::path> side_files(const std::string& database) {
    const std::string name = fs::path(database).filename();
    std::vector<fs::path> files;
    for (const fs::path& entry : entries_of(directory_of(database))) {
        const std::string entry_name = entry.filename();
        if (entry_name.starts_with(name) || entry == ring_path(database)) files.push_back(entry);
    }
    return files;
}

std::vector<fs::path> key_files(const fs::path& directory) {
    std::vector<fs::path> files;
    for (const fs::path& entry : entries_of(directory)) {
        const bool ours =
            entry.extension() == ".pem" || entry.filename() == "jwks.json" || entry.filename() == "seal.key";
        if (ours) files.push_back(entry);
    }
    return files;
}

std::set<fs::path> entries_of(const fs::path& directory) {
    std::set<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
        entries.insert(at->path());
    return entries;
}

void make_directory(const fs::path& directory, mode_t mode, std::vector<fs::path>& made) {
    const fs::path innermost = directory.has_filename() ? directory : directory.parent_path();  // "keys/" is "keys"
    std::vector<fs::path> missing;
    std::error_code unknown;  // then mkdir says why
    for (fs::path path = innermost; !path.empty() && !fs::exists(path, unknown); path = path.parent_path())
        missing.push_back(path);
    std::ranges::reverse(missing);
    for (const fs::path& path : missing) {
        if (mkdir(path.c_str(), 0700) != 0)
            throw Refused("cannot make the directory " + path.string() + ": " + std::strerror(errno));
        made.push_back(path);
        // Apart from mkdir, because the umask and a set-group-id parent have their say there.
        if (chmod(path.c_str(), path == innermost ? mode : 0755) != 0) {
            throw Refused("cannot set the mode of " + path.string() + ": " + std::strerror(errno));
        }
    }
}

void change_owner(const fs::path& path, Owner owner) {
    if (lchown(path.c_str(), owner.user, owner.group) != 0) {
        throw Refused("cannot give " + path.string() + " to the owner asked for: " + std::strerror(errno) +
                      "; run it as root");
    }
}

}  // namespace postern::cli
