// Decides which files of the key directory are acceptable.
#include "keys/key_files.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "crypto/error.h"
#include "os/file.h"
#include "os/read_file.h"
#include "util/shell_command.h"
#include "util/text.h"

namespace postern::keys {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::string_view kPemSuffix = ".pem";
constexpr const char* kDamagedFileFix = "restore it from a backup, or move it elsewhere and run `postern key repair`";

[[noreturn]] void throw_unread(const std::string& path, const os::FileError& error) {
    if (error.number == ENOENT) throw_key_error(path, "is missing", kMissingDirectoryFix);
    if (error.number != 0) {
        throw_key_error(path, "cannot be read (" + error.reason() + ")",
                        "give it a group that this user belongs to, and mode 0640");
    }
    const bool too_long = error.fault == os::FileFault::too_long;
    const bool changed = error.fault == os::FileFault::changed;
    throw_key_error(path, error.meaning(),
                    too_long  ? "restore it from a backup"
                    : changed ? "see that nothing else writes it"
                              : "put the file itself there");
}

std::string octal(mode_t mode) {
    char text[8];
    std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777));
    return text;
}

FileVersion version_from(const struct stat& status) {
    return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

/// Which mode bits a file must not have, and what is said then.
struct ModeRule {
    mode_t forbidden;
    const char* meaning;
    const char* fix;
};
constexpr ModeRule kPublicRule{S_IWOTH, "can be written by others", "0644"};
constexpr ModeRule kPrivateRule{S_IRWXO, "can be read or written by others", "0640"};

FileContent read_checked(const std::string& path, const ModeRule& rule) {
    const auto file = os::open_regular(path, os::Links::refused);
    if (!file) throw_unread(path, file.error());
    if ((file->status.st_mode & rule.forbidden) != 0) {
        throw_key_error(path, std::string(rule.meaning) + " (mode " + octal(file->status.st_mode) + ")",
                        "run " + util::ShellCommand("chmod").value(rule.fix).path(path).quoted());
    }
    auto bytes = os::read_whole(*file, kMaxBytes);
    if (!bytes) throw_unread(path, bytes.error());
    return {std::move(*bytes), version_from(file->status)};
}

const char* fix_of_write(int error) {
    if (error == ENOSPC || error == EDQUOT) return "make room on its disk";
    if (error == EPERM) return "run this as root, which can give it the right group";
    return "make its directory writable for this user";
}

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

void throw_key_error(const std::string& path, const std::string& meaning, const std::string& fix) {
    throw KeyError(path + ": " + meaning + ": " + fix);
}

std::string KeyFileName::to_string() const {
    return std::string(crypto::to_string(algorithm)) + '.' + std::to_string(util::to_epoch(signs_from)) + '.' + kid +
           std::string(kPemSuffix);
}

std::optional<KeyFileName> KeyFileName::parse(std::string_view name) {
    const auto parts = util::split(name, '.');
    if (parts.size() != 4 || parts[2].empty()) return std::nullopt;
    const auto algorithm = crypto::parse_algorithm(parts[0]);
    const auto seconds = util::parse_digits(parts[1], std::numeric_limits<std::int64_t>::max());
    if (!algorithm || !seconds) return std::nullopt;
    KeyFileName parsed{*algorithm, util::from_epoch(*seconds), std::string(parts[2])};
    if (parsed.to_string() != name) return std::nullopt;  // leading zeros, another suffix
    return parsed;
}

void require_sane_clock(const std::string& directory, util::Time now) {
    if (now < util::Time{})
        throw_key_error(directory, "cannot get a new key while the clock is before 1970", "set the clock");
}

std::vector<KeyFileName> private_keys_in(const std::string& directory) {
    const std::unique_ptr<DIR, CloseDirectory> open(::opendir(directory.c_str()));
    if (!open)
        throw_key_error(directory, "cannot be listed (" + os::errno_text() + ")",
                        "make it readable for this user's group (mode 0750)");
    std::vector<KeyFileName> names;
    while (const dirent* entry = ::readdir(open.get())) {
        const std::string_view name = entry->d_name;
        if (!name.ends_with(kPemSuffix)) continue;
        const auto parsed = KeyFileName::parse(name);
        if (!parsed) {
            throw_key_error(directory + "/" + std::string(name), "is not named ALGORITHM.SIGNS_FROM.KID.pem",
                            "move it elsewhere");
        }
        names.push_back(*parsed);
    }
    std::sort(names.begin(), names.end(), [](const KeyFileName& a, const KeyFileName& b) {
        return std::tie(a.signs_from, a.kid) < std::tie(b.signs_from, b.kid);
    });
    return names;
}

KeyPair make_key_pair(crypto::Algorithm algorithm) {
    for (;;) {
        auto key = crypto::PrivateKey::generate(algorithm);
        jose::Jwk jwk{jose::thumbprint(key.public_key()), key.public_key()};
        if (!jwk.kid.starts_with('-')) return {std::move(key), std::move(jwk)};
    }
}

FileVersion version_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw_unread(path, {os::FileFault::not_opened, errno});
    return version_from(status);
}

FileContent read_public_file(const std::string& path) { return read_checked(path, kPublicRule); }

jose::JwkSet parse_published(const std::string& directory, const std::string& bytes) {
    auto set = jose::parse_jwk_set(bytes);
    if (!set)
        throw_key_error(directory + "/" + kPublishedFile, "is not a set of public keys (" + set.error() + ")",
                        kDamagedFileFix);
    return *std::move(set);
}

util::Secret read_private_file(const std::string& path) { return util::Secret(read_checked(path, kPrivateRule).bytes); }

crypto::PrivateKey parse_private_key(const std::string& path, const KeyFileName& name, const util::Secret& pem) {
    try {
        auto key = crypto::PrivateKey::from_pem(pem, name.algorithm);
        if (key.algorithm() != name.algorithm || jose::thumbprint(key.public_key()) != name.kid)
            throw_key_error(path, "holds a different key than its name says", kDamagedFileFix);
        return key;
    } catch (const crypto::CryptoError& error) {
        throw_key_error(path, std::string("is not a usable private key (") + error.what() + ")", kDamagedFileFix);
    }
}

crypto::PrivateKey read_private_key(const std::string& directory, const KeyFileName& name) {
    const auto path = directory + "/" + name.to_string();
    return parse_private_key(path, name, read_private_file(path));
}

void write_key_file(const std::string& directory, const std::string& name, std::string_view bytes, mode_t mode,
                    const std::string& like) {
    const auto path = directory + "/" + name;
    if (os::replace_file(path, bytes, mode, like.empty() ? like : directory + "/" + like)) return;
    throw_key_error(path, "cannot be written (" + os::errno_text() + ")", fix_of_write(errno));
}

void make_key_file(os::NewFiles& made, const std::string& directory, const std::string& name, std::string_view bytes,
                   mode_t mode) {
    const auto path = directory + "/" + name;
    os::Descriptor file = os::make_whole_file(path, bytes, mode);
    if (file) return made.add(path, std::move(file));
    if (errno == EEXIST) throw_existing_key(path);
    throw_key_error(path, "cannot be written (" + os::errno_text() + ")", fix_of_write(errno));
}

void throw_existing_key(const std::string& path) {
    throw_key_error(path, "exists already, and keys are never replaced",
                    "remove it if no token or page depends on it any more");
}

bool is_there(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

void remove_key_file(const std::string& directory, const std::string& name) {
    const auto path = directory + "/" + name;
    const bool gone = ::unlink(path.c_str()) == 0 || errno == ENOENT;
    if (!gone || !os::sync_directory(directory))
        throw_key_error(path, "cannot be removed (" + os::errno_text() + ")",
                        "make its directory writable for this user");
}

}  // namespace postern::keys
