// One run of the program that fetches over HTTPS (FETCH-2), beside which others may go on.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "fetch/fetcher.h"
#include "fetch/outbound.h"
#include "os/file.h"

namespace postern::fetch {

class Program {
public:
    using Moment = std::chrono::steady_clock::time_point;

    /// Starts `outbound.program` with these limits and the bytes of a question. A failure is the reply.
    Program(const Outbound& outbound, Methods methods, std::string question);
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program();  ///< kills it when it runs

    /// Returns the descriptor that is readable when something of the reply is there.
    int output() const { return output_.get(); }
    /// Returns the time by which the program has to have answered.
    Moment deadline() const { return deadline_; }
    /// Reads what is there. False: nothing more comes.
    bool read_some();
    /// Ends the program, unless it has answered, and returns the bytes of the reply (fetch/messages.h).
    std::string finish();

private:
    const std::string name_;
    const Moment deadline_;
    pid_t process_ = -1;
    os::Descriptor output_;
    std::string bytes_;
    std::string failure_;
    bool is_whole_ = false;
};

}  // namespace postern::fetch
