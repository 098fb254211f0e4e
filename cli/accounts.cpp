// Looks up users and groups with the name services of the machine. A static program reads /etc/passwd and /etc/group
// only, because name services are shared libraries built for the C library of the machine.
#include "cli/accounts.h"

#include <grp.h>
#include <pwd.h>

#include <cstdio>
#include <memory>

namespace postern::cli {
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

}  // namespace

std::optional<uid_t> user_id(const std::string& name) {
    if (const passwd* entry = find_user(name)) return entry->pw_uid;
    return std::nullopt;
}

std::optional<gid_t> group_id(const std::string& name) {
    if (const group* entry = find_group(name)) return entry->gr_gid;
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

const char* where_accounts_are() {
#ifdef POSTERN_STATIC
    return "in /etc/passwd and /etc/group, the only places where a static program looks (a numeric id works too)";
#else
    return "on this machine";
#endif
}

}  // namespace postern::cli
