// Takes rights to files and connections from this process, by Linux's Landlock (docs/decisions/0025-sandbox.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace postern::os {

enum class FileUse {
    read,      ///< open a file for reading; of a directory, every file below it
    browse,    ///< read, and list directories
    rewrite,   ///< open what is there for reading and writing
    anything,  ///< list, read, write, make and remove files and directories
};

struct FileRule {
    std::string path;
    FileUse use = FileUse::read;
};

using TcpPorts = std::vector<std::uint16_t>;

/// The outgoing connections that a process may begin. Landlock knows TCP from version 4 and abstract Unix sockets from
/// version 6; before, they are not forbidden. It forbids no Unix socket at a path and no other protocol: os/seccomp
/// does.
struct Connections {
    bool anywhere = false;          ///< to everything; the other members do not count
    TcpPorts ports = {};            ///< by TCP to these ports, on each address
    bool abstract_sockets = false;  ///< to abstract Unix sockets
};

/// Returns the version of Landlock that the kernel offers, from 1; 0 when there is none, and `reason` says why.
int landlock_version(std::string& reason);

/// Forbids everything that Landlock can forbid but for `rules` and `connections`, from now on, in this thread and in
/// its children (threads that run already keep their rights); open descriptors keep their rights. Sets no_new_privs.
/// Throws std::runtime_error: a path of the rules cannot be opened, or the kernel refused.
void restrict_files(const std::vector<FileRule>& rules, const Connections& connections = {});

}  // namespace postern::os
