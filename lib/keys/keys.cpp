// Decides which keys sign now, and which ones verify.
#include "keys/keys.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "crypto/error.h"
#include "crypto/random.h"
#include "crypto/seal.h"
#include "db/error.h"
#include "json/writer.h"
#include "keys/key_files.h"
#include "os/file.h"
#include "util/shell_command.h"

namespace postern::keys {
namespace {

constexpr mode_t kDirectoryMode = 0750;
// How often an inconsistent directory is read again: in all, and while it does not change.
constexpr int kTries = 100;
constexpr int kTriesWithoutChange = 3;
constexpr std::chrono::milliseconds kBetweenTries{2};  // time stamps do not distinguish changes that are closer

// A user who can rename files here can replace keys, whatever the files' own modes are.
void check_directory(const std::string& directory) {
    struct stat status {};
    if (::stat(directory.c_str(), &status) != 0) {
        if (errno == ENOENT) throw_key_error(directory, "does not exist", kMissingDirectoryFix);
        throw_key_error(directory, "cannot be looked at (" + os::errno_text() + ")",
                        "let this user enter the directories above it");
    }
    if (!S_ISDIR(status.st_mode))
        throw_key_error(directory, "is not a directory", "name the key directory as \"keys\"");
    if ((status.st_mode & S_IWOTH) != 0) {
        throw_key_error(directory, "can be written by others",
                        "run " + util::ShellCommand("chmod 0750").path(directory).quoted());
    }
}

SigningKey read_signing_key(const std::string& directory, const KeyFileName& name, const jose::JwkSet& published) {
    auto key = read_private_key(directory, name);
    const auto same = [&](const jose::Jwk& jwk) {
        return jwk.kid == name.kid && jwk.key.algorithm() == name.algorithm;
    };
    if (std::none_of(published.begin(), published.end(), same)) {
        throw_key_error(directory + "/" + name.to_string(),
                        "is not published: its key is missing in " + directory + "/" + kPublishedFile,
                        "restore that file, or move this one elsewhere");
    }
    return {name.kid, name.signs_from, std::move(key)};
}

std::vector<SigningKey> read_signing_keys(const std::string& directory, const jose::JwkSet& published) {
    std::vector<SigningKey> keys;
    for (const auto& name : private_keys_in(directory)) keys.push_back(read_signing_key(directory, name, published));
    return keys;
}

util::Secret read_seal_key(const std::string& directory) {
    const auto path = directory + "/" + kSealFile;
    auto key = read_private_file(path);
    if (key.reveal().size() != crypto::kSealKeyBytes) {
        throw_key_error(path, "does not hold exactly 32 bytes",
                        "restore it from a backup, or make a new one with `postern key rotate --seal`");
    }
    return key;
}

/// Empty when the file is not there: an installation of before has none, and needs none for what it did before.
util::Secret read_factor_key(const std::string& directory) {
    const auto path = directory + "/" + kFactorFile;
    if (!is_there(path)) return {};
    auto key = read_private_file(path);
    if (!crypto::is_factor_key_size(key.reveal().size()))
        throw_key_error(path, "does not hold 32, 64 or 96 bytes", "restore it from a backup");
    return key;
}

void throw_if_keys_exist(const std::string& directory) {
    const auto present = [&](const std::string& path) {
        struct stat status {};
        if (::lstat(path.c_str(), &status) == 0) throw_existing_key(path);
    };
    present(directory + "/" + kPublishedFile);
    present(directory + "/" + kSealFile);
    present(directory + "/" + kFactorFile);
    for (const auto& name : private_keys_in(directory)) present(directory + "/" + name.to_string());
}

KeyState state_of(const KeyFileName& name, const std::vector<KeyFileName>& names, util::Time now) {
    if (name.signs_from > now) return KeyState::next;
    // Sorted by time, so the last one that signs already is the newest.
    const auto newest = std::find_if(names.rbegin(), names.rend(), [&](const KeyFileName& other) {
        return other.algorithm == name.algorithm && other.signs_from <= now;
    });
    return newest->kid == name.kid ? KeyState::active : KeyState::retired;
}

/// A key signs until the next one of its algorithm does.
std::optional<util::Time> end_of(std::vector<KeyFileName>::const_iterator name, const std::vector<KeyFileName>& names) {
    const auto successor = std::find_if(std::next(name), names.end(),
                                        [&](const KeyFileName& other) { return other.algorithm == name->algorithm; });
    if (successor == names.end()) return std::nullopt;
    return successor->signs_from;
}

/// Other ones when a key is added, removed or replaced; nullopt when the directory cannot be read.
std::optional<std::pair<FileVersion, FileVersion>> versions_of(const std::string& directory) {
    try {
        return std::pair(version_of(directory), version_of(directory + "/" + kPublishedFile));
    } catch (const KeyError&) {
        return std::nullopt;
    }
}

}  // namespace

Keys::Keys(std::string directory, KeyUse use, bool with_seal, bool with_factors)
    : directory_(std::move(directory)),
      published_path_(directory_ + "/" + kPublishedFile),
      use_(use),
      with_seal_(with_seal),
      with_factors_(with_factors) {
    load();
}

void Keys::reload_if_changed() {
    if (version_of(published_path_) != version_) load();
}

void Keys::load() {
    // A command may be changing the directory (key_directory.h), so that files read before and after its step are
    // inconsistent. Reading all of them again gives one state.
    int without_change = 0;
    for (int tries = 1;; ++tries) {
        const auto before = versions_of(directory_);
        try {
            return read_all();
        } catch (const KeyError&) {
            if (versions_of(directory_) == before) ++without_change;
            if (tries == kTries || without_change == kTriesWithoutChange) throw;
        }
        std::this_thread::sleep_for(kBetweenTries);
    }
}

void Keys::read_all() {
    check_directory(directory_);
    auto file = read_public_file(published_path_);
    auto published = parse_published(directory_, file.bytes);
    std::unique_ptr<jose::Verifier> verifier;
    if (use_ != KeyUse::publish) verifier = std::make_unique<jose::Verifier>(published);
    std::vector<SigningKey> signing;
    if (use_ == KeyUse::sign) signing = read_signing_keys(directory_, published);
    util::Secret seal;
    if (with_seal_) seal = read_seal_key(directory_);
    util::Secret factor;
    if (with_factors_) factor = read_factor_key(directory_);

    // Nothing above has changed this object, so a bad file leaves the loaded keys in use.
    version_ = file.version;
    published_ = std::move(published);
    verifier_ = std::move(verifier);
    signing_ = std::move(signing);
    seal_key_ = std::move(seal);
    factor_key_ = std::move(factor);
}

jose::Verifier& Keys::verifier() {
    if (!verifier_) throw KeyError(directory_ + ": opened to publish keys, not to verify with them");
    return *verifier_;
}

const SigningKey& Keys::signing_key(crypto::Algorithm algorithm, util::Time now) const {
    const auto newest = std::find_if(signing_.rbegin(), signing_.rend(), [&](const SigningKey& key) {
        return key.key.algorithm() == algorithm && key.signs_from <= now;
    });
    if (newest == signing_.rend()) {
        throw_key_error(directory_,
                        "has no " + std::string(crypto::to_string(algorithm)) + " key that signs at this time",
                        "`postern key repair` makes one, unless the clock is wrong");
    }
    return *newest;
}

void Keys::check_signing_key(crypto::Algorithm algorithm) const {
    const auto fits = [&](const SigningKey& key) { return key.key.algorithm() == algorithm; };
    if (std::any_of(signing_.begin(), signing_.end(), fits)) return;
    throw_key_error(directory_, "has no private " + std::string(crypto::to_string(algorithm)) + " key",
                    "`postern key repair` makes one; or configure an algorithm that `postern key list` shows");
}

const util::Secret& Keys::seal_key() const {
    if (seal_key_.empty()) throw KeyError(directory_ + ": opened without " + kSealFile);
    return seal_key_;
}

const util::Secret& Keys::factor_key() const {
    if (has_factor_key()) return factor_key_;
    throw db::StoreError(std::string(kFactorFile) + " is missing in " + directory_ +
                         ", so that no second factor can be checked: restore it from a backup, or run "
                         "`postern key repair`, then start the endpoints again");
}

void Keys::create(os::NewFiles& made, const std::string& directory, const std::vector<crypto::Algorithm>& algorithms,
                  util::Time now, mode_t private_mode) {
    if (os::make_directory(directory, kDirectoryMode)) {
        made.add(directory);
    } else if (errno != EEXIST) {
        throw_key_error(directory, "cannot be made (" + os::errno_text() + ")",
                        "make the directory above it, writable for this user");
    }
    throw_if_keys_exist(directory);
    require_sane_clock(directory, now);
    make_key_file(made, directory, kSealFile,
                  util::Secret(crypto::SystemRandom().bytes(crypto::kSealKeyBytes)).reveal(), private_mode);
    make_key_file(made, directory, kFactorFile,
                  util::Secret(crypto::SystemRandom().bytes(crypto::kSealKeyBytes)).reveal(), private_mode);
    jose::JwkSet published;
    for (const auto algorithm : std::set<crypto::Algorithm>(algorithms.begin(), algorithms.end())) {
        auto [key, jwk] = make_key_pair(algorithm);
        make_key_file(made, directory, KeyFileName{algorithm, now, jwk.kid}.to_string(), key.to_pem().reveal(),
                      private_mode);
        published.push_back(std::move(jwk));
    }
    // Last: what is published can be signed with.
    make_key_file(made, directory, kPublishedFile, json::write_pretty(jose::to_json(published)), kPublicMode);
}

void Keys::create(const std::string& directory, const std::vector<crypto::Algorithm>& algorithms, util::Time now) {
    os::NewFiles made;
    create(made, directory, algorithms, now);
    made.keep();
}

std::vector<KeyInfo> Keys::list(const std::string& directory, util::Time now) {
    check_directory(directory);
    const auto names = private_keys_in(directory);
    std::vector<KeyInfo> keys;
    for (const auto& jwk : parse_published(directory, read_public_file(directory + "/" + kPublishedFile).bytes)) {
        const auto name =
            std::find_if(names.begin(), names.end(), [&](const KeyFileName& n) { return n.kid == jwk.kid; });
        // Published without a private half: it only verifies what it signed once, before that half was taken away.
        KeyInfo info{
            jwk.kid, jwk.key.algorithm(), KeyState::retired, {}, util::from_epoch(version_of(directory).seconds)};
        if (name != names.end()) {
            info.state = state_of(*name, names, now);
            info.signs_from = name->signs_from;
            info.signs_until = end_of(name, names);
        }
        keys.push_back(std::move(info));
    }
    std::sort(keys.begin(), keys.end(), [](const KeyInfo& a, const KeyInfo& b) {
        return std::tie(a.algorithm, a.signs_from, a.kid) < std::tie(b.algorithm, b.signs_from, b.kid);
    });
    return keys;
}

}  // namespace postern::keys
