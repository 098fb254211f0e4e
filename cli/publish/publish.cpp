// `postern publish`: writes the public documents as files that a web server can serve without a program.
#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/related_origin.h"
#include "keys/keys.h"
#include "oidc/cacheable.h"
#include "oidc/discovery.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

constexpr mode_t kDirectoryMode = 0755;
constexpr mode_t kFileMode = 0644;
constexpr std::chrono::seconds kLockWait{5};
constexpr const char* kOpenidConfiguration = "openid-configuration";

struct Document {
    const char* name;
    std::string text;
};

/// Returns the documents, byte for byte as the endpoints send them.
std::vector<Document> documents(const config::Config& config) {
    const keys::Keys keys(config.keys, keys::KeyUse::publish, false);
    const std::string discovery =
        oidc::CacheableDocument(oidc::discovery(config.settings, config.offered_languages())).text();
    std::vector<Document> all = {{"jwks.json", oidc::CacheableDocument(jose::to_json(keys.published())).text()},
                                 {"oauth-authorization-server", discovery}};
    if (config.settings.oidc) all.push_back({kOpenidConfiguration, discovery});
    return all;
}

/// For the web server of the former host, which has no other document of this server.
std::vector<Document> related_origin(const config::Config& config) {
    if (!former_host(config.settings))
        throw Refused(
            "browsers need no such file: the issuer's host is " + in_quotes(config.settings.login.rp_id) +
            " or in that domain. For passkeys of a former host, set \"login\": {\"rpId\": ...} to its name first");
    return {{kRelatedOriginName, related_origin_document(config.settings)}};
}

/// Held until the files are written, because two runs would write the same temporary files, and the one that read the
/// older configuration and keys could end last. A file system without flock(2) is written to all the same.
os::Descriptor lock(const fs::path& directory) {
    os::Descriptor held(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!held) {
        throw Refused(directory.string() + " cannot be opened (" + os::errno_text() +
                      "): name a directory that this user can read and write");
    }
    try {
        if (os::lock_until(held.get(), std::chrono::steady_clock::now() + kLockWait)) return held;
    } catch (const std::system_error&) {
        return held;
    }
    throw Refused(directory.string() + " is locked, perhaps by another `postern publish`: see by what with " +
                  util::ShellCommand("fuser").path(directory.string()).quoted() +
                  ", and run this again when that has ended");
}

struct PublishOptions {
    std::string directory;
    bool related_origin = false;
};

void publish(const Invocation& invocation, const PublishOptions& options) {
    const fs::path directory = options.directory;
    os::NewFiles made;
    make_directory(directory, kDirectoryMode, made);
    const os::Descriptor locked = lock(directory);
    const config::Config config = invocation.load_config();
    const auto all = options.related_origin ? related_origin(config) : documents(config);
    made.keep();
    json::Array files;
    for (const Document& document : all) {
        const std::string path = directory / document.name;
        if (!os::replace_file(path, document.text, kFileMode)) {
            throw Refused(path + " cannot be written (" + os::errno_text() +
                          "): name a directory that this user can write, on a disk with free space");
        }
        note_done(invocation, {{"file", path}});  // for each, because the next may fail
        files.emplace_back(path);
    }
    if (!options.related_origin && !config.settings.oidc && fs::exists(directory / kOpenidConfiguration)) {
        print_note((directory / kOpenidConfiguration).string() +
                   " was written while OpenID Connect was on and is out of date: remove it");
    }
    if (invocation.json) return print_json(json::Object{{"files", std::move(files)}});
    for (const json::Value& file : files) std::cout << *file.if_string() << '\n';
}

}  // namespace

void add_publish_command(const Command& app, Invocation& invocation) {
    const auto [command, options] =
        add_command<PublishOptions>(app, invocation, "publish", "Write discovery and key set as static files",
                                    "postern publish /var/www/html/.well-known", publish);
    const std::string longest = std::to_string(oidc::kPublicMaxAge.count());
    command.explain(
        "Writes openid-configuration (with OpenID Connect only), oauth-authorization-server and jwks.json, exactly as "
        "the endpoints answer them, each file replaced atomically. Run it again after every change of the "
        "configuration and after `postern key rotate` and `postern key retire`: until then the files are out of date. "
        "Let the web server send them as application/json with Access-Control-Allow-Origin: * and a max-age of at "
        "most " +
        longest +
        " seconds. With --related-origin it writes only the file webauthn, for /.well-known/ of the issuer's former "
        "host, which login.rpId names: browsers accept the passkeys of that host at the issuer's host as long as they "
        "get the file there as application/json over HTTPS.");
    command.argument("DIR", options.directory, "Target directory; created with mode 0755 if missing");
    command.flag("--related-origin", options.related_origin,
                 "Write the file of the issuer's former host (WebAuthn related origins) instead");
}

}  // namespace postern::cli
