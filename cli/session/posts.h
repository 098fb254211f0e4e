// The POSTs of logout tokens in flight, each made by one run of the fetching program.
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

    /// A POST that has ended.
    struct Answered {
        store::LogoutNotice notice;
        std::string host;
        fetch::Reply reply;
    };

    void start(const store::LogoutNotice& notice, const std::string& host, const std::string& uri,
               const std::string& token);
    /// Waits a moment, and returns the POSTs that were answered or timed out.
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
