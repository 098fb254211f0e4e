// Runs endpoints and the command inside this process, with the environment and the input they would have got as
// processes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/deployment.h"

namespace postern::test {

class Host {
public:
    enum class Life {
        one_request,  ///< as plain CGI: opened and closed for each request
        long_one,     ///< as FastCGI: one process per endpoint, which outlives what goes wrong
    };
    explicit Host(Life life);
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    ~Host();

    ProcessResult run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
                      const std::string& input);
    /// Runs the deployment's programs in here while this object lives.
    void take(Deployment& deployment);
    /// Starts the deployment's endpoint, which then waits for requests.
    void start(const std::string& endpoint, const Deployment& deployment);

    /// Called when an answer has left the server, before what is done after it.
    std::function<void()> on_answer;

private:
    struct Process;
    ProcessResult run_endpoint(const std::string& name, const std::map<std::string, std::string>& environment,
                               const std::string& input);
    ProcessResult run_postern(const std::vector<std::string>& argv, const std::string& input);
    Life life_;
    std::map<std::string, std::unique_ptr<Process>> processes_;
    Deployment* deployment_ = nullptr;
};

}  // namespace postern::test
