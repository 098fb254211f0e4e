// The POSTs of logout tokens that are under way, each by a program of its own.
#pragma once

#include <list>
#include <string>
#include <vector>

#include "fetch/fetcher.h"
#include "fetch/outbound.h"
#include "fetch/program.h"
#include "store/logout_outbox.h"

namespace postern::cli {

class Posts {
public:
    explicit Posts(const fetch::Outbound& outbound) : outbound_(outbound) {}

    /// The end of one POST.
    struct Answered {
        store::LogoutNotice notice;
        std::string host;
        fetch::Reply reply;
    };

    void start(const store::LogoutNotice& notice, const std::string& host, const std::string& uri,
               const std::string& token);
    /// Waits a moment, and returns those that have an answer or took too long.
    std::vector<Answered> wait();

    std::size_t count() const { return under_way_.size(); }
    std::size_t count_of(const std::string& host) const;

private:
    struct Post {
        store::LogoutNotice notice;
        std::string host;
        fetch::Program program;

        Post(const store::LogoutNotice& of, const std::string& to, const fetch::Outbound& outbound,
             std::string question);
    };

    const fetch::Outbound& outbound_;
    std::list<Post> under_way_;
};

}  // namespace postern::cli
