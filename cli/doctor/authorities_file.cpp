// Checks the rights of the file of `mtls.ca`: a user who writes it authenticates as any client with tls_client_auth.
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "cli/doctor/findings.h"
#include "cli/files.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCheck = "client authorities";

/// The users and groups of the endpoints without root's: the owners of the state and key directories.
struct Endpoints {
    std::set<uid_t> users;
    std::set<gid_t> groups;
    std::optional<uid_t>
        configurer;  ///< owns the configuration, as on shared hosting, and could name another file there
};

Endpoints endpoints_of(const std::string& config_path, const config::Config& config) {
    Endpoints endpoints;
    struct stat configuration {};
    if (stat(config_path.c_str(), &configuration) == 0) endpoints.configurer = configuration.st_uid;
    for (const std::string& directory : {config.state_directory(), config.keys}) {
        struct stat status {};
        if (stat(directory.c_str(), &status) != 0) continue;
        if (status.st_uid != 0) endpoints.users.insert(status.st_uid);
        if (status.st_gid != 0) endpoints.groups.insert(status.st_gid);
    }
    if (const auto groups = key_groups(config.keys))
        endpoints.groups.insert({groups->signers, groups->sealers, groups->factors});
    endpoints.groups.erase(0);
    return endpoints;
}

/// Returns the user or group that can write the file, or replace files in the directory, and must not; "": none.
std::string writers(const struct stat& status, const Endpoints& endpoints) {
    if (status.st_uid != endpoints.configurer && endpoints.users.contains(status.st_uid))
        return "the endpoints' user " + user_name(status.st_uid);
    const bool keeps_others_files = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
    if (keeps_others_files) return "";
    if ((status.st_mode & S_IWOTH) != 0) return "every user of this machine";
    if ((status.st_mode & S_IWGRP) != 0 && endpoints.groups.contains(status.st_gid))
        return "the endpoints' group " + group_name(status.st_gid);
    return "";
}

void add_writable(Findings& findings, const std::string& what, const std::string& who, const std::string& fix) {
    findings.error(kCheck,
                   what + " can be written by " + who +
                       ", so that it can let any certificate authenticate as a client with tls_client_auth",
                   fix);
}

void check_writers(Findings& findings, const fs::path& file, const struct stat& status, const Endpoints& endpoints) {
    if (const std::string who = writers(status, endpoints); !who.empty())
        add_writable(
            findings, file.string() + " (mode " + octal(status.st_mode) + ")", who,
            util::ShellCommand("chown root:root").path(file.string()).words("; chmod 0644").path(file.string()).text());
}

/// `name`: of the file, or of a link to it, either of which could be replaced.
void check_place(Findings& findings, const fs::path& name, const Endpoints& endpoints) {
    struct stat status {};
    const fs::path directory = directory_of(name);
    if (stat(directory.c_str(), &status) != 0) return;
    if (const std::string who = writers(status, endpoints); !who.empty())
        add_writable(
            findings, directory.string() + ", where " + name.filename().string() + " is,", who,
            "move the file to a directory that only root can write, such as /etc/postern, and name it in mtls.ca");
}

/// Of which users only root is known, the one who runs this finds out by reading it.
bool can_be_read(const struct stat& status, const Endpoints& endpoints) {
    if (endpoints.users.empty() && endpoints.groups.empty()) return true;
    return (status.st_mode & S_IROTH) != 0 ||
           ((status.st_mode & S_IRGRP) != 0 && endpoints.groups.contains(status.st_gid)) ||
           ((status.st_mode & S_IRUSR) != 0 && endpoints.users.contains(status.st_uid));
}

}  // namespace

void check_authorities_file(Findings& findings, const std::string& config_path, const config::Config& config) {
    if (!config.settings.offers_tls_client_auth()) return;
    const std::string& named = config.settings.mtls->ca;
    std::error_code missing;
    const fs::path file = fs::canonical(named, missing);
    struct stat status {};
    if (missing || stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;  // check_certificates says it
    const Endpoints endpoints = endpoints_of(config_path, config);
    check_writers(findings, file, status, endpoints);
    check_place(findings, file, endpoints);
    if (directory_of(named) != directory_of(file)) check_place(findings, named, endpoints);
    if (!can_be_read(status, endpoints))
        findings.warning(kCheck,
                         file.string() + " (mode " + octal(status.st_mode) +
                             ") cannot be read by the owners of the state and key directories: if the endpoints run "
                             "as these, those that authenticate clients do not start",
                         util::ShellCommand("chmod 0644").path(file.string()).text());
    findings.ok_unless_found(kCheck, file.string() + " cannot be written by the endpoints or by others");
}

}  // namespace postern::cli
