// Decides what of the key directory leaves the node, and in which form.
#include "keys/shared_keys.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "crypto/digest.h"
#include "crypto/seal.h"
#include "keys/key_files.h"
#include "util/shell_command.h"
#include "util/text.h"

namespace postern::keys {
namespace {

constexpr const char* kTransportFile = "transport.key";
constexpr const char* kNewTransportFile = "transport.key.new";
constexpr const char* kGenerationFile = "generation";
constexpr std::string_view kChanging = " changing";
constexpr const char* kCopyFix = "copy it from the node that has it, with mode 0600";

std::string purpose_of(const std::string& name, std::int64_t generation) {
    return "key file " + name + " of generation " + std::to_string(generation);
}

/// Neither a name nor sealed text has a space or a line break.
std::string digest_of_others(const SealedKeyFiles& sealed) {
    std::string all;
    for (const auto& [name, text] : sealed) {
        if (name != kPublishedFile) all += name + ' ' + text + '\n';
    }
    return crypto::sha256(all);
}

void replace_transport_key(const std::string& directory, const util::Secret& key) {
    write_key_file(directory, kTransportFile, key.reveal(), kOwnerMode);
    remove_key_file(directory, kNewTransportFile);
}

}  // namespace

std::vector<KeyFile> read_key_files(const std::string& directory) {
    std::vector<KeyFile> files;
    const std::string published = directory + "/" + kPublishedFile;
    if (is_there(published)) files.push_back({kPublishedFile, util::Secret(read_public_file(published).bytes)});
    std::vector<std::string> names = {kSealFile, kFactorFile};
    for (const KeyFileName& name : private_keys_in(directory)) names.push_back(name.to_string());
    for (const std::string& name : names) {
        const std::string path = directory + "/" + name;
        if (is_there(path)) files.push_back({name, read_private_file(path)});
    }
    return files;
}

bool are_same(const std::vector<KeyFile>& some, const std::vector<KeyFile>& others) {
    return std::ranges::is_permutation(some, others, [](const KeyFile& one, const KeyFile& other) {
        return one.name == other.name && one.bytes.reveal() == other.bytes.reveal();
    });
}

bool has_transport_key(const std::string& directory) { return is_there(directory + "/" + kTransportFile); }

util::Secret read_transport_key(const std::string& directory) {
    const std::string path = directory + "/" + kTransportFile;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 && errno == ENOENT) throw_key_error(path, "is missing", kCopyFix);
    if (S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        throw_key_error(path, "can be read or written by others than its owner",
                        "run " + util::ShellCommand("chmod 0600").path(path).quoted());
    }
    auto key = read_private_file(path);
    if (key.reveal().size() != crypto::kSealKeyBytes) throw_key_error(path, "does not hold exactly 32 bytes", kCopyFix);
    return key;
}

NewTransportKey::NewTransportKey(std::string directory, crypto::Random& random)
    : directory_(std::move(directory)),
      key_(random.bytes(crypto::kSealKeyBytes)),
      name_(has_transport_key(directory_) ? kNewTransportFile : kTransportFile) {
    write_key_file(directory_, name_, key_.reveal(), kOwnerMode);
}

NewTransportKey::~NewTransportKey() {
    if (!is_kept_) ::unlink((directory_ + "/" + name_).c_str());
}

void NewTransportKey::put_in_place() {
    is_kept_ = true;
    if (name_ == kNewTransportFile) replace_transport_key(directory_, key_);
}

void settle_transport_key(const std::string& directory, std::int64_t generation, const SealedKeyFiles& sealed) {
    const std::string path = directory + "/" + kNewTransportFile;
    if (!is_there(path)) return;
    const auto key = read_private_file(path);
    if (key.reveal().size() == crypto::kSealKeyBytes && open_files(key, generation, sealed))
        replace_transport_key(directory, key);
}

void remove_transport_key(const std::string& directory) {
    remove_key_file(directory, kNewTransportFile);
    remove_key_file(directory, kTransportFile);
    remove_key_file(directory, kGenerationFile);
}

SealedKeyFiles seal_files(const util::Secret& transport, std::int64_t generation, const std::vector<KeyFile>& files,
                          crypto::Random& random) {
    SealedKeyFiles sealed;
    const auto seal = [&](const KeyFile& file, const std::string& before) {
        const util::Secret plain(before + std::string(file.bytes.reveal()));
        sealed[file.name] = crypto::seal(transport, purpose_of(file.name, generation), plain.reveal(), random);
    };
    for (const KeyFile& file : files) {
        if (file.name != kPublishedFile) seal(file, {});
    }
    const std::string others = digest_of_others(sealed);
    seal(*std::ranges::find(files, kPublishedFile, &KeyFile::name), others);
    return sealed;
}

util::Result<std::vector<KeyFile>, SealFault> open_files(const util::Secret& transport, std::int64_t generation,
                                                         const SealedKeyFiles& sealed) {
    const std::string others = digest_of_others(sealed);
    std::vector<KeyFile> files;
    bool is_whole = false;
    for (const auto& [name, text] : sealed) {
        auto bytes = crypto::open_seal(transport, purpose_of(name, generation), text);
        if (!bytes) continue;
        if (name == kPublishedFile) {
            is_whole = bytes->starts_with(others);
            bytes->erase(0, others.size());
        }
        files.push_back({name, util::Secret(std::move(*bytes))});
    }
    if (files.empty()) return SealFault::other_key;
    if (!is_whole || files.size() != sealed.size()) return SealFault::other_set;
    return files;
}

Generation read_generation(const std::string& directory) {
    const std::string path = directory + "/" + kGenerationFile;
    if (!is_there(path)) return {};
    const std::string bytes = read_public_file(path).bytes;
    std::string_view text = bytes;
    if (text.ends_with('\n')) text.remove_suffix(1);
    const bool is_changing = text.ends_with(kChanging);
    if (is_changing) text.remove_suffix(kChanging.size());
    const auto number = util::parse_digits(text, std::numeric_limits<std::int64_t>::max());
    if (!number) throw_key_error(path, "is not the number of a generation", "remove it, and run `postern key sync`");
    return {*number, is_changing};
}

void write_generation(const std::string& directory, const Generation& generation) {
    std::string text = std::to_string(generation.number);
    if (generation.is_changing) text += kChanging;
    write_key_file(directory, kGenerationFile, text + "\n", kPublicMode);
}

}  // namespace postern::keys
