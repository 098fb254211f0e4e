// The endpoint's side: one question, one answer, on a pair of sockets that keeps messages apart.
#include "fetch/child.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "fetch/messages.h"
#include "fetch/waiter.h"
#include "os/file.h"

namespace postern::fetch {
namespace {

constexpr int kPatience = 10'000;  // milliseconds: longer than the child's own for the program

class Child final : public Fetcher {
public:
    explicit Child(os::Descriptor pair) : pair_(std::move(pair)) {}

    Reply ask(const Question& question) override {
        const std::string message = write_question(question);
        if (message.size() > kLongestQuestion) return std::string("the question is too long");
        if (!pair_ || ::write(pair_.get(), message.data(), message.size()) < 0) return lost("is gone");
        return receive();
    }

    bool is_lost() const override { return !pair_; }

private:
    Reply receive() {
        pollfd waiting{pair_.get(), POLLIN, 0};
        int ready = 0;
        do ready = ::poll(&waiting, 1, kPatience);
        while (ready < 0 && errno == EINTR);
        if (ready <= 0) return lost("did not answer");
        std::string bytes(kLongestAnswer, '\0');
        const ssize_t got = ::recv(pair_.get(), bytes.data(), bytes.size(), 0);
        if (got <= 0) return lost("is gone");
        bytes.resize(static_cast<std::size_t>(got));
        return read_reply(bytes);
    }

    /// An answer that comes later would be taken for that of the next question.
    std::string lost(const std::string& what) {
        pair_ = os::Descriptor();
        return "the child that starts the fetching program " + what;
    }

    os::Descriptor pair_;
};

}  // namespace

std::unique_ptr<Fetcher> start_child(const Outbound& outbound) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        throw std::system_error(errno, std::generic_category(), "a pair of sockets for \"outbound\"");
    os::Descriptor ours(ends[0]);
    const os::Descriptor childs(ends[1]);
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "a child for \"outbound\"");
    if (child == 0) wait_for_questions(childs.get(), outbound);
    return std::make_unique<Child>(std::move(ours));
}

}  // namespace postern::fetch
