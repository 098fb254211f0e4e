// Makes files and directories, with their owner and mode.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Writes all bytes; false when one could not be written, and errno says why.
bool write_all(int descriptor, std::string_view bytes);

/// Returns the directory that holds `path` ("." for a bare name).
std::string directory_of(const std::string& path);

/// Returns the name of a file system (statfs f_type) where SQLite's locks and shared memory cannot be trusted, because
/// its files are on another machine or may be; nullopt for others.
std::optional<std::string_view> network_file_system(std::int64_t magic);

/// Returns that name for the file system that holds `path`; nullopt also when it cannot be asked.
std::optional<std::string_view> network_file_system_of(const std::string& path);

/// Gives a file made by root the owner and group of its directory, so that files made by `postern` as root stay usable
/// for the serving user. No effect for other users. False when it was refused.
bool adopt_directory_owner(int descriptor, const std::string& directory);

/// Makes `path`, which must not be there, with exactly `mode` whatever the umask and the owner of
/// adopt_directory_owner; errno says why it failed.
Descriptor make_file(const std::string& path, mode_t mode);

/// Opens `path` for reading and writing; makes it as make_file does when it is missing. Never follows a symbolic link,
/// never blocks on a FIFO; errno says why it failed.
Descriptor open_or_make(const std::string& path, mode_t mode);

/// Makes the directory `path` as make_file makes a file; errno says why it failed (EEXIST: it is there).
bool make_directory(const std::string& path, mode_t mode);

/// Makes the names in `directory` survive a power cut. False when the disk refuses.
bool sync_directory(const std::string& directory);

/// Makes `path` hold `bytes` by temporary file, fsync, rename and fsync of the directory, so that a reader sees all of
/// it or nothing. Mode and group are those of the file `like` where there is one, and the owner too when root does it;
/// else those of make_file. False when it failed; errno says why.
bool replace_file(const std::string& path, std::string_view bytes, mode_t mode, const std::string& like = {});

/// Makes `path`, which must not be there, as replace_file does, and returns the open file. When it is there, errno is
/// EEXIST and the file stays as it is.
Descriptor make_whole_file(const std::string& path, std::string_view bytes, mode_t mode);

/// Returns whether `path` still names the open file or directory.
bool is_at(const std::string& path, const Descriptor& file);

/// Returns whether `replace_file` and `make_whole_file` make a file under that name before it has its own: a killed run
/// may leave it behind.
bool is_temporary_name(std::string_view name);

/// Returns the text of `errno`.
std::string errno_text();

/// Files and directories that are removed, the newest first, when this object ends without `keep`. Each is held open: a
/// name that another process has given to another file since is not removed, and no other file can get its inode. A
/// directory that has got something in it stays.
class NewFiles {
public:
    NewFiles() = default;
    NewFiles(const NewFiles&) = delete;
    NewFiles& operator=(const NewFiles&) = delete;
    ~NewFiles();

    /// Adds the file or directory that was just made at `path`; `file` is open on it.
    void add(std::string path, Descriptor file);
    /// Opens and adds what was just made at `path`. When nothing is there, nothing is removed.
    void add(std::string path);

    std::vector<std::string> paths() const;  ///< in the order in which they were made
    void keep() { files_.clear(); }

private:
    struct File {
        std::string path;
        Descriptor descriptor;
    };
    std::vector<File> files_;
};

/// A file that is opened before the sandbox. One byte is written, always the same: only the time of the change matters.
class WakeFile {
public:
    /// Makes the file (mode 0660) when it is missing; throws std::system_error when that fails.
    explicit WakeFile(const std::string& path);

    /// Notes that the program is to be woken, inside a transaction whose commit comes first.
    void request_wake() { is_requested_ = true; }
    /// Changes the file if that was requested. A failure does nothing: the program also looks by the clock.
    void wake_if_requested() noexcept;

private:
    Descriptor file_;
    bool is_requested_ = false;
};

}  // namespace postern::os
