// Messages to users (`mail`).
#pragma once

#include <string>
#include <vector>

#include "text/mail.h"

namespace postern::mail {

/// The sender, the command and the limit of messages; docs/decisions/0080-mail.md.
struct Settings {
    text::Mailbox from;  ///< of each message
    std::vector<std::string>
        command;         ///< program, an absolute path, and its arguments: it reads the message and sends it
    int per_hour = 200;  ///< messages in all
};

}  // namespace postern::mail
