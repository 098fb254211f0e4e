// Which system calls this process may still make, by a seccomp filter (docs/decisions/0025-sandbox.md).
#pragma once

#include <string>

namespace postern::os {

/// The system calls beyond waiting, reading, writing and opening.
struct CallNeeds {
    bool syslog = false;       ///< datagrams to a Unix socket: a logger that was started again must be found again
    bool files = false;        ///< make, rename and remove files
    bool network = false;      ///< TCP, UDP and Unix sockets, the kernel's list of addresses, and threads
    bool fetching = false;     ///< TCP and UDP sockets, and threads
    bool tcp = false;          ///< TCP sockets alone: a database server must be found again
    bool unix_stream = false;  ///< stream sockets of this machine alone: a program at a path is asked
};

/// Returns whether the kernel can filter, and there is a table for this architecture; when not, `reason` says why.
bool can_filter_calls(std::string& reason);

/// Makes every other call fail with EPERM from now on, in each thread of the process: it starts no program or process,
/// traces and signals none, opens no socket of a kind that `needs` does not name, and makes no memory executable. A
/// connection begins by connect(2) alone, where Landlock sees it. Sets no_new_privs. Throws std::runtime_error when
/// the kernel refuses.
void filter_calls(const CallNeeds& needs);

}  // namespace postern::os
