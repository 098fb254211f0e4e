// A saslauthd that a test writes: it listens on a Unix socket, records what it is asked, and answers, or does not.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "os/file.h"

namespace postern::test {

class FakeSaslauthd {
public:
    struct Asked {
        std::string username;
        std::string password;
        std::string service;
        std::string realm;
        bool operator==(const Asked&) const = default;
    };
    /// The pieces that it sends one by one before it closes the connection; or it keeps that open until it ends.
    struct Reply {
        std::vector<std::string> pieces;
        bool hangs = false;
    };
    using Answer = std::function<Reply(const Asked&)>;

    /// Listens at `path`. Without an answer every password is right.
    explicit FakeSaslauthd(std::string path, Answer answer = {});
    FakeSaslauthd(const FakeSaslauthd&) = delete;
    FakeSaslauthd& operator=(const FakeSaslauthd&) = delete;
    ~FakeSaslauthd();

    const std::string& path() const { return path_; }
    /// Sets the answer from now on.
    void answer(Answer answer);
    /// Returns the requests since the last call.
    std::vector<Asked> asked();

    /// Returns the text behind its length.
    static std::string framed(const std::string& text);
    static Reply says(const std::string& text) { return {.pieces = {framed(text)}}; }
    /// Returns an answer that is right for that name and password, and wrong for all others.
    static Answer knows(const std::string& username, const std::string& password);

private:
    void serve();
    void converse(os::Descriptor connection);

    std::string path_;
    os::Descriptor listener_;
    os::Descriptor ended_;   ///< becomes readable when this ends
    os::Descriptor ending_;  ///< the other end
    std::mutex guard_;       ///< of the next two
    Answer answer_;
    std::vector<Asked> asked_;
    std::vector<os::Descriptor> hanging_;
    std::thread thread_;
};

}  // namespace postern::test
