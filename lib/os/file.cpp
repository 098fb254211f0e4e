// Decides which files this module makes and accepts.
#include "os/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace postern::os {
namespace {

struct FileSystem {
    std::uint32_t magic;
    std::string_view name;
};

// statfs(2). FUSE is there because sshfs and its like cannot be told from a local FUSE file system.
constexpr FileSystem kNetworkFileSystems[] = {
    {0x6969, "NFS"},        {0x517b, "SMB"},        {0xfe534d42, "SMB2"}, {0xff534d42, "CIFS"},
    {0x01021997, "9P"},     {0x65735546, "FUSE"},   {0x5346414f, "AFS"},  {0x6b414653, "AFS"},
    {0x73757245, "Coda"},   {0x00c36400, "Ceph"},   {0x564c, "NCP"},      {0x0bd00bd0, "Lustre"},
    {0x01161970, "GFS2"},   {0x7461636f, "OCFS2"},  {0x47504653, "GPFS"}, {0x20030528, "OrangeFS"},
    {0x786f4256, "vboxsf"}, {0x7c7c6673, "prl_fs"},
};

constexpr int kOpenFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

Descriptor open_directory(const std::string& path) {
    return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

constexpr std::string_view kTemporarySuffix = ".new";
constexpr mode_t kOwnerOnly = 0600;

/// Gives it the owner, group and mode of `like`: the processes that read the old key must be able to read the new one.
bool resemble(int descriptor, mode_t mode, const std::string& like) {
    struct stat model {};
    struct stat status {};
    if (like.empty() || ::lstat(like.c_str(), &model) != 0 || !S_ISREG(model.st_mode))
        return ::fchmod(descriptor, mode) == 0;
    if (::fstat(descriptor, &status) != 0) return false;
    const uid_t user = ::geteuid() == 0 ? model.st_uid : status.st_uid;
    const bool owned = user == status.st_uid && model.st_gid == status.st_gid;
    if (!owned && ::fchown(descriptor, user, model.st_gid) != 0) return false;
    return ::fchmod(descriptor, model.st_mode & 07777) == 0;
}

std::string temporary_of(const std::string& path) {
    const auto slash = path.rfind('/') + 1;  // 0 when there is none
    return path.substr(0, slash) + '.' + path.substr(slash) + std::string(kTemporarySuffix);
}

/// A temporary file that holds `bytes`, on the disk.
Descriptor write_temporary(const std::string& path, std::string_view bytes, mode_t mode, const std::string& like) {
    ::unlink(path.c_str());  // of a run that was killed
    // Owner only until it has its group: a process that opened it earlier could read the later content.
    Descriptor file = make_file(path, kOwnerOnly);
    const bool done =
        file && resemble(file.get(), mode, like) && write_all(file.get(), bytes) && ::fsync(file.get()) == 0;
    return done ? std::move(file) : Descriptor();
}

void unlink_keeping_errno(const std::string& path) {
    const int reason = errno;
    ::unlink(path.c_str());
    errno = reason;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    if (this != &other) {
        if (number_ >= 0) ::close(number_);
        number_ = other.release();
    }
    return *this;
}

Descriptor::~Descriptor() {
    if (number_ >= 0) ::close(number_);
}

int Descriptor::release() {
    const int number = number_;
    number_ = -1;
    return number;
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

std::string directory_of(const std::string& given) {
    const auto path = given.substr(0, given.find_last_not_of('/') + 1);
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::optional<std::string_view> network_file_system(std::int64_t magic) {
    for (const auto& known : kNetworkFileSystems) {
        // f_type is signed on some machines: SMB2 and CIFS come out negative there.
        if (known.magic == static_cast<std::uint32_t>(magic)) return known.name;
    }
    return std::nullopt;
}

std::optional<std::string_view> network_file_system_of(const std::string& path) {
    struct statfs answer {};
    if (::statfs(path.c_str(), &answer) != 0) return std::nullopt;
    return network_file_system(static_cast<std::int64_t>(answer.f_type));
}

bool adopt_directory_owner(int descriptor, const std::string& directory) {
    if (::geteuid() != 0) return true;
    struct stat parent {};
    return ::stat(directory.c_str(), &parent) == 0 && ::fchown(descriptor, parent.st_uid, parent.st_gid) == 0;
}

Descriptor make_file(const std::string& path, mode_t mode) {
    Descriptor file(::open(path.c_str(), kOpenFlags | O_CREAT | O_EXCL, mode));
    // Owner before mode: a change of owner may clear bits.
    if (file && adopt_directory_owner(file.get(), directory_of(path)) && ::fchmod(file.get(), mode) == 0) return file;
    const int reason = errno;
    if (file) ::unlink(path.c_str());  // an empty file would be in the way of the next try
    errno = reason;
    return Descriptor();
}

Descriptor open_or_make(const std::string& path, mode_t mode) {
    Descriptor made = make_file(path, mode);
    if (made || errno != EEXIST) return made;
    return Descriptor(::open(path.c_str(), kOpenFlags));
}

bool make_directory(const std::string& path, mode_t mode) {
    if (::mkdir(path.c_str(), mode) != 0) return false;
    const Descriptor made = open_directory(path);
    // The umask may have taken bits away.
    return made && adopt_directory_owner(made.get(), directory_of(path)) && ::fchmod(made.get(), mode) == 0;
}

bool sync_directory(const std::string& directory) {
    const Descriptor file = open_directory(directory);
    return file && ::fsync(file.get()) == 0;
}

bool replace_file(const std::string& path, std::string_view bytes, mode_t mode, const std::string& like) {
    const auto temporary = temporary_of(path);
    if (write_temporary(temporary, bytes, mode, like) && ::rename(temporary.c_str(), path.c_str()) == 0)
        return sync_directory(directory_of(path));
    unlink_keeping_errno(temporary);
    return false;
}

Descriptor make_whole_file(const std::string& path, std::string_view bytes, mode_t mode) {
    const auto temporary = temporary_of(path);
    Descriptor file = write_temporary(temporary, bytes, mode, {});
    const bool named = file && ::link(temporary.c_str(), path.c_str()) == 0;  // unlike rename, it replaces nothing
    unlink_keeping_errno(temporary);
    if (named && sync_directory(directory_of(path))) return file;
    if (named) unlink_keeping_errno(path);
    return Descriptor();
}

bool is_at(const std::string& path, const Descriptor& file) {
    struct stat named {};
    struct stat held {};
    return ::lstat(path.c_str(), &named) == 0 && ::fstat(file.get(), &held) == 0 && named.st_dev == held.st_dev &&
           named.st_ino == held.st_ino;
}

bool is_temporary_name(std::string_view name) { return name.starts_with('.') && name.ends_with(kTemporarySuffix); }

std::string errno_text() { return std::generic_category().message(errno); }

NewFiles::~NewFiles() {
    for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
        if (is_at(file->path, file->descriptor)) std::remove(file->path.c_str());
    }
}

void NewFiles::add(std::string path, Descriptor file) { files_.push_back({std::move(path), std::move(file)}); }

// O_PATH: closing any other descriptor of a database would drop the locks that this process has on it (fcntl(2)).
void NewFiles::add(std::string path) {
    Descriptor file(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (file) add(std::move(path), std::move(file));
}

std::vector<std::string> NewFiles::paths() const {
    std::vector<std::string> paths;
    for (const File& file : files_) paths.push_back(file.path);
    return paths;
}

WakeFile::WakeFile(const std::string& path) : file_(open_or_make(path, 0660)) {
    if (!file_) throw std::system_error(errno, std::generic_category(), path);
}

void WakeFile::wake_if_requested() noexcept {
    if (!is_requested_) return;
    is_requested_ = false;
    const ssize_t written = ::pwrite(file_.get(), "\n", 1, 0);
    static_cast<void>(written);
}

}  // namespace postern::os
