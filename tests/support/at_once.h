// One request from many processes at the same moment.
#pragma once

#include <csignal>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "support/flow.h"

namespace postern::test {

/// Returns the verdicts on a request that `processes` of that endpoint answer at once, such as
/// "1 x 200, 5 x 401 invalid_client". A sender who is told to come back, since the store was locked for too long, does.
inline std::string verdicts_at_once(const Deployment& op, const char* endpoint, const CgiRequest& request,
                                    int processes) {
    std::signal(SIGPIPE, SIG_IGN);
    std::vector<Answer> answers(static_cast<std::size_t>(processes));
    std::vector<std::thread> senders;
    for (Answer& answer : answers)
        senders.emplace_back([&] {
            for (int tries = 5; tries > 0 && (answer.status == 0 || answer.status == 503); --tries)
                answer = op.cgi(endpoint, request);
        });
    for (std::thread& sender : senders) sender.join();
    std::map<std::string, int> counts;
    for (const Answer& answer : answers) ++counts[answer.verdict()];
    std::string text;
    for (const auto& [verdict, count] : counts)
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " x " + verdict;
    return text;
}

}  // namespace postern::test
