// Runs programs that send logout tokens side by side.
#include "cli/session/posts.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "fetch/messages.h"

namespace postern::cli {
namespace {

constexpr int kMomentMs = 200;

/// A program that ends without having read its order must not end this process.
class NoBrokenPipe {
public:
    NoBrokenPipe() : former_(std::signal(SIGPIPE, SIG_IGN)) {}
    NoBrokenPipe(const NoBrokenPipe&) = delete;
    NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
    ~NoBrokenPipe() { std::signal(SIGPIPE, former_); }

private:
    void (*former_)(int);
};

}  // namespace

Posts::Post::Post(const store::LogoutNotice& of, const std::string& to, const fetch::Outbound& outbound,
                  std::string question)
    : notice(of), host(to), program(outbound, fetch::Methods::get_and_post, std::move(question)) {}

void Posts::start(const store::LogoutNotice& notice, const std::string& host, const std::string& uri,
                  const std::string& token) {
    const NoBrokenPipe no_broken_pipe;
    under_way_.emplace_back(notice, host, outbound_,
                            fetch::write_question({fetch::Purpose::logout_token, uri, "logout_token=" + token}));
}

std::vector<Posts::Answered> Posts::wait() {
    std::vector<pollfd> files;
    for (const Post& post : under_way_) files.push_back({post.program.output(), POLLIN, 0});
    ::poll(files.data(), files.size(), kMomentMs);
    std::vector<Answered> answered;
    std::size_t at = 0;
    for (auto post = under_way_.begin(); post != under_way_.end();) {
        const bool is_readable = files[at++].revents != 0;
        const bool goes_on = is_readable ? post->program.read_some() : post->program.output() >= 0;
        if (goes_on && std::chrono::steady_clock::now() < post->program.deadline()) {
            ++post;
            continue;
        }
        answered.push_back({post->notice, post->host, fetch::read_reply(post->program.finish())});
        post = under_way_.erase(post);
    }
    return answered;
}

std::size_t Posts::count_of(const std::string& host) const {
    return static_cast<std::size_t>(std::ranges::count(under_way_, host, &Post::host));
}

}  // namespace postern::cli
