// Which files this module makes and accepts, and with which owner and mode.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace postern::os {

/// Owns a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor();

    explicit operator bool() const { return number_ >= 0; }
    int get() const { return number_; }
    int release();

private:
    int number_;
};

/// The directory that holds `path` ("." for a bare name).
std::string directory_of(const std::string& path);

/// The name of the file system when `magic` (statfs f_type) is one where SQLite's locks and shared memory cannot be
/// trusted, because the file is on another machine or may be.
std::optional<std::string_view> network_file_system(std::int64_t magic);

/// The same for the file system that holds `path`; nullopt when it cannot be asked.
std::optional<std::string_view> network_file_system_of(const std::string& path);

/// Gives a file made by root the owner and group of its directory, so that files made by `postern` as root stay usable
/// for the serving user. No effect for other users. False when it was refused.
bool adopt_directory_owner(int descriptor, const std::string& directory);

/// Makes `path`, which must not be there: exactly `mode` whatever the umask, owner as above; errno says why it failed.
Descriptor make_file(const std::string& path, mode_t mode);

/// Opens `path` for reading and writing, and makes it when it is missing, as above.
/// Never follows a symbolic link, never blocks on a FIFO; errno says why it failed.
Descriptor open_or_make(const std::string& path, mode_t mode);

/// Makes the directory `path` and its owner as above; errno says why it failed (EEXIST: it is there).
bool make_directory(const std::string& path, mode_t mode);

/// Makes the names in `directory` survive a power cut. False when the disk refuses.
bool sync_directory(const std::string& directory);

/// Makes `path` hold `bytes` by temporary file, fsync, rename and fsync of the directory, so that a reader sees all of
/// it or nothing. Mode and group are those of the file `like` where there is one, and the owner too when root does it;
/// else `mode`, and the owner as above. False when it failed; errno says why.
bool replace_file(const std::string& path, std::string_view bytes, mode_t mode, const std::string& like = {});

/// The same for a `path` that must not be there: errno is EEXIST when it is, and the file at it stays as it is. Returns
/// the file, which is at `path` now.
Descriptor make_whole_file(const std::string& path, std::string_view bytes, mode_t mode);

/// Whether `path` still names the file or directory that is open.
bool is_at(const std::string& path, const Descriptor& file);

/// The name under which `replace_file` and `make_whole_file` make a file before it has its own: what a killed run may
/// leave behind.
bool is_temporary_name(std::string_view name);

/// The text of `errno`.
std::string errno_text();

}  // namespace postern::os
