// A network of documents that tests write, without a network, a process or a clock of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fetch/fetcher.h"

namespace postern::test {

class FakeFetcher final : public fetch::Fetcher {
public:
    util::Result<fetch::Answer, std::string> ask(const fetch::Question& question) override {
        asked.push_back(question.url);
        const auto found = answers.find(question.url);
        if (found == answers.end()) return std::string("no such host");
        return found->second;
    }
    Moment now() const override { return {}; }
    void wait_until(Moment) const override {}

    /// The document at `url`, fresh for 300 s, which is the least.
    void publish(const std::string& url, const std::string& body) {
        fetch::Answer& answer = answers[url];
        answer = {};
        answer.status = 200;
        answer.content_type = "application/json";
        answer.cache_control = "max-age=300";
        answer.body = body;
    }

    std::map<std::string, fetch::Answer> answers;
    std::vector<std::string> asked;
};

}  // namespace postern::test
