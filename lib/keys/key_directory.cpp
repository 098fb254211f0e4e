// Decides in which order files of the key directory change, so that no process ever finds one that it cannot use.
#include "keys/key_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "crypto/random.h"
#include "crypto/seal.h"
#include "json/writer.h"
#include "keys/key_files.h"

namespace postern::keys {
namespace {

// A process may be between its look at the clock and its signature for so long.
constexpr util::Seconds kNearlySigning{60};

/// On the directory itself: a lock file could be removed while it is held.
os::Descriptor lock(const std::string& directory) {
    os::Descriptor held(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!held) {
        const char* fix = errno == ENOENT ? kMissingDirectoryFix : "run this as its owner, or as root";
        throw KeyError(directory + ": cannot be opened (" + os::errno_text() + "): " + fix);
    }
    if (::flock(held.get(), LOCK_EX | LOCK_NB) != 0) {
        throw KeyError(directory + ": another command is changing the keys; nothing was changed: try again");
    }
    if (!os::is_at(directory + "/.", held))  // not the link that may stand for it
        throw KeyError(directory + ": another command took it away; nothing was changed: try again");
    return held;
}

void remove_leftovers(const std::string& directory) {
    std::vector<std::string> leftovers;
    std::error_code error;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        if (os::is_temporary_name(at->path().filename().string())) leftovers.push_back(at->path().filename());
    }
    for (const auto& name : leftovers) remove_key_file(directory, name);
}

/// The mode of a private file that has no predecessor to resemble. Where the private files have different groups, the
/// right one is unknown, and the directory's group is that of all processes.
mode_t mode_of_first(const std::string& directory, const std::string& sibling) {
    struct stat all {};
    struct stat other {};
    if (::stat(directory.c_str(), &all) != 0 || (all.st_mode & S_IXOTH) != 0) return kOwnerMode;
    const bool divided =
        !sibling.empty() && ::lstat((directory + "/" + sibling).c_str(), &other) == 0 && other.st_gid != all.st_gid;
    return divided ? kOwnerMode : kPrivateMode;
}

struct MadeKey : KeyPair {
    util::Seconds lead{};
};

std::vector<MadeKey> make_keys(const std::vector<NewKey>& wanted) {
    std::vector<MadeKey> made;
    for (const NewKey& one : wanted) made.push_back({make_key_pair(one.algorithm), one.lead});
    return made;
}

/// After the key that signs now, even when both came into being within one second: it would not be the newest.
util::Time begin_of(const MadeKey& made, const std::vector<KeyFileName>& names, util::Time now) {
    util::Time begin = now + made.lead;
    for (const KeyFileName& name : names) {
        const bool before = name.algorithm == made.key.algorithm() && name.signs_from <= now;
        if (before) begin = std::max(begin, name.signs_from + util::Seconds{1});
    }
    return begin;
}

const KeyFile* find_file(const std::vector<KeyFile>& files, std::string_view name) {
    const auto found = std::ranges::find(files, name, &KeyFile::name);
    return found == files.end() ? nullptr : &*found;
}

bool is_published(const jose::JwkSet& keys, const std::string& kid) {
    return std::ranges::find(keys, kid, &jose::Jwk::kid) != keys.end();
}

/// The keys that `files` publish. Throws KeyError unless they are a whole key directory that processes can work with,
/// and nothing else: another name could be a path.
jose::JwkSet require_usable(const std::string& directory, const std::vector<KeyFile>& files) {
    const KeyFile* published = find_file(files, kPublishedFile);
    const KeyFile* seal = find_file(files, kSealFile);
    const KeyFile* factor = find_file(files, kFactorFile);
    const auto is_key = [](const KeyFile* file) { return file->bytes.reveal().size() == crypto::kSealKeyBytes; };
    if (!published || !seal || !is_key(seal))
        throw KeyError(directory +
                       ": the keys to share lack jwks.json or a usable seal.key: `postern doctor` says more");
    if (factor && !crypto::is_factor_key_size(factor->bytes.reveal().size()))
        throw KeyError(directory + "/" + kFactorFile + " does not hold 32, 64 or 96 bytes");
    jose::JwkSet keys = parse_published(directory, std::string(published->bytes.reveal()));
    for (const KeyFile& file : files) {
        if (&file == published || &file == seal || &file == factor) continue;
        const auto name = KeyFileName::parse(file.name);
        if (!name) throw KeyError(directory + ": \"" + file.name + "\" is not the name of a key file");
        parse_private_key(directory + "/" + file.name, *name, file.bytes);
        if (!is_published(keys, name->kid))
            throw KeyError(directory + ": the private key " + name->kid + " is not in jwks.json");
    }
    return keys;
}

jose::JwkSet united(jose::JwkSet keys, const jose::JwkSet& more) {
    for (const jose::Jwk& jwk : more) {
        if (!is_published(keys, jwk.kid)) keys.push_back(jwk);
    }
    return keys;
}

}  // namespace

KeyDirectory::KeyDirectory(std::string directory) : directory_(std::move(directory)), lock_(lock(directory_)) {
    remove_leftovers(directory_);
}

std::vector<KeyInfo> KeyDirectory::add(const std::vector<NewKey>& wanted, const util::Clock& clock) {
    require_sane_clock(directory_, clock.now());
    const auto made = make_keys(wanted);
    const auto names = private_keys_in(directory_);
    auto published = read_published();
    for (const MadeKey& one : made) published.push_back(one.jwk);
    publish(published);  // first: a private key that is not published is refused

    // The lead time counts from here: clients that fetched the set earlier lack the new keys.
    const util::Time now = clock.now();
    const std::string like = names.empty() ? std::string() : names.back().to_string();
    std::vector<KeyInfo> added;
    for (const MadeKey& one : made) {
        const KeyFileName name{one.key.algorithm(), begin_of(one, names, now), one.jwk.kid};
        write_key_file(directory_, name.to_string(), one.key.to_pem().reveal(), mode_of_first(directory_, kSealFile),
                       like);
        const auto state = name.signs_from > now ? KeyState::next : KeyState::active;
        added.push_back({name.kid, name.algorithm, state, name.signs_from, std::nullopt});
    }
    for (const KeyFileName& name : names) {
        const bool replaced = name.signs_from > now && std::ranges::any_of(made, [&](const MadeKey& one) {
                                  return one.key.algorithm() == name.algorithm;
                              });
        if (!replaced) continue;
        if (has_never_signed(name, now)) std::erase_if(published, [&](const auto& jwk) { return jwk.kid == name.kid; });
        remove_key_file(directory_, name.to_string());
    }
    publish(published);  // once more: now every process looks at the private keys
    return added;
}

void KeyDirectory::remove(const std::string& kid) {
    auto published = read_published();
    for (const KeyFileName& name : private_keys_in(directory_)) {
        if (name.kid == kid) remove_key_file(directory_, name.to_string());
    }
    std::erase_if(published, [&](const jose::Jwk& jwk) { return jwk.kid == kid; });
    publish(published);
}

/// Nor will a process that has read clock and keys before this one goes. With a clock that was set back, a key seems to
/// wait that has signed: then its file is newer than the present.
bool KeyDirectory::has_never_signed(const KeyFileName& name, util::Time now) const {
    struct stat status {};
    if (::stat((directory_ + "/" + name.to_string()).c_str(), &status) != 0) return false;
    return util::from_epoch(status.st_mtime) <= now && name.signs_from > now + kNearlySigning;
}

Restored KeyDirectory::restore(const std::vector<crypto::Algorithm>& algorithms, const util::Clock& clock) {
    Restored restored;
    if (!has(kPublishedFile)) {
        const auto published = published_of_private_keys();
        publish(published);
        restored.published = published.size();
    }
    if (!has(kSealFile)) {
        renew_seal();
        restored.seal = true;
    }
    if (!has(kFactorFile)) {
        make_factor_key();
        restored.factors = true;
    }
    const auto names = private_keys_in(directory_);
    std::vector<NewKey> wanted;
    for (const crypto::Algorithm algorithm : algorithms) {
        if (std::ranges::find(names, algorithm, &KeyFileName::algorithm) == names.end())
            wanted.push_back({algorithm, util::Seconds{0}});
    }
    if (!wanted.empty()) restored.keys = add(wanted, clock);
    return restored;
}

// The first one has the readers of seal.key, as login and account are: the endpoints start as before, and the operator
// may give it a group of its own.
void KeyDirectory::write_factor_key(const util::Secret& key) const {
    const char* like = has(kFactorFile) ? kFactorFile : kSealFile;
    write_key_file(directory_, kFactorFile, key.reveal(), mode_of_first(directory_, {}), like);
}

void KeyDirectory::make_factor_key() const {
    write_factor_key(util::Secret(crypto::SystemRandom().bytes(crypto::kSealKeyBytes)));
}

bool KeyDirectory::add_factor_key() {
    if (has(kFactorFile)) return false;
    make_factor_key();
    return true;
}

crypto::FactorKeys KeyDirectory::factor_keys() const {
    const std::string path = directory_ + "/" + kFactorFile;
    if (!has(kFactorFile))
        throw KeyError(path + " is missing: restore it from a backup, or make one with `postern key repair`");
    const util::Secret bytes = read_private_file(path);
    if (!crypto::is_factor_key_size(bytes.reveal().size()))
        throw KeyError(path + " does not hold 32, 64 or 96 bytes: restore it from a backup");
    return crypto::parse_factor_keys(bytes);
}

void KeyDirectory::put_factor_keys(const crypto::FactorKeys& keys) {
    write_factor_key(crypto::to_bytes(keys));
    publish(read_published());  // the same set, but every process reads the directory again
}

void KeyDirectory::renew_seal() {
    const util::Secret seal(crypto::SystemRandom().bytes(crypto::kSealKeyBytes));
    const auto names = private_keys_in(directory_);
    const std::string sibling = names.empty() ? std::string() : names.back().to_string();
    write_key_file(directory_, kSealFile, seal.reveal(), mode_of_first(directory_, sibling), kSealFile);
    publish(read_published());  // the same set, but every process reads the directory again
}

std::vector<KeyFile> KeyDirectory::usable_files() const {
    auto files = read_key_files(directory_);
    require_usable(directory_, files);
    return files;
}

std::vector<std::string> KeyDirectory::take(const std::vector<KeyFile>& files) {
    const jose::JwkSet wanted = require_usable(directory_, files);
    const auto before = private_keys_in(directory_);
    const auto own = read_key_files(directory_);
    std::vector<const KeyFile*> differing;
    for (const KeyFile& file : files) {
        const KeyFile* there = find_file(own, file.name);
        if (!there || there->bytes.reveal() != file.bytes.reveal()) differing.push_back(&file);
    }
    std::vector<std::string> gone;
    for (const KeyFileName& name : before) {
        if (!find_file(files, name.to_string())) gone.push_back(name.to_string());
    }
    std::vector<std::string> changed = gone;
    for (const KeyFile* file : differing) changed.push_back(file->name);
    if (changed.empty()) return changed;

    // First: a private key that is not published is refused.
    if (has(kPublishedFile)) publish(united(read_published(), wanted));
    const std::string like = before.empty() ? std::string() : before.back().to_string();
    for (const KeyFile* file : differing) {
        if (file->name == kPublishedFile) continue;
        if (file->name == kFactorFile) {
            write_factor_key(file->bytes);
            continue;
        }
        const bool is_seal = file->name == kSealFile;
        write_key_file(directory_, file->name, file->bytes.reveal(),
                       mode_of_first(directory_, is_seal ? like : kSealFile), is_seal ? kSealFile : like);
    }
    for (const std::string& name : gone) remove_key_file(directory_, name);
    // Last, and always: now every process reads the directory again.
    write_key_file(directory_, kPublishedFile, find_file(files, kPublishedFile)->bytes.reveal(), kPublicMode,
                   kPublishedFile);
    return changed;
}

/// A file that cannot be looked at is not missing: it would be replaced.
bool KeyDirectory::has(const char* name) const {
    const std::string path = directory_ + "/" + name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) return true;
    if (errno == ENOENT) return false;
    throw KeyError(path + ": cannot be looked at (" + os::errno_text() + "): nothing was changed; run this as root");
}

jose::JwkSet KeyDirectory::published_of_private_keys() const {
    jose::JwkSet published;
    for (const KeyFileName& name : private_keys_in(directory_)) {
        const auto key = read_private_key(directory_, name);
        published.push_back({name.kid, key.public_key()});
    }
    return published;
}

jose::JwkSet KeyDirectory::read_published() const {
    return parse_published(directory_, read_public_file(directory_ + "/" + kPublishedFile).bytes);
}

void KeyDirectory::publish(const jose::JwkSet& keys) const {
    write_key_file(directory_, kPublishedFile, json::write_pretty(jose::to_json(keys)), kPublicMode, kPublishedFile);
}

}  // namespace postern::keys
