// Does for an endpoint what lib/server/serve.cpp does, without a process and without a web server.
#include "faults/host.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "config/config.h"
#include "db/maintenance.h"
#include "faults/disk.h"
#include "faults/endpoints.h"
#include "gateway/exchange.h"
#include "server/failure.h"
#include "server/service.h"

namespace postern::test {
namespace {

/// A request that is there already, and an answer that is kept.
class KeptExchange final : public gateway::Exchange {
public:
    KeptExchange(const std::map<std::string, std::string>& environment, std::string_view input,
                 const std::function<void()>& on_answer)
        : input_(input), on_answer_(on_answer) {
        for (const auto& [name, value] : environment) lines_.push_back(name + "=" + value);
    }
    void read_variables(const std::vector<std::string>& also) override {
        std::vector<const char*> pointers;
        for (const std::string& line : lines_) pointers.push_back(line.c_str());
        pointers.push_back(nullptr);
        variables_ = gateway::collect_variables(pointers.data(), also);
    }
    const gateway::Variables& variables() const override { return variables_; }
    gateway::Body receive(std::size_t cap) override {
        return gateway::receive_body(variables_, cap, gateway::StreamEnd::at_length_only,
                                     [this](char* buffer, std::size_t size) -> std::optional<std::size_t> {
                                         const std::size_t count = std::min(size, input_.size());
                                         std::memcpy(buffer, input_.data(), count);
                                         input_.remove_prefix(count);
                                         return count;
                                     });
    }
    void send(std::string_view wire) noexcept override {
        wire_ = wire;
        if (on_answer_) on_answer_();
    }
    const std::string& wire() const { return wire_; }

private:
    std::vector<std::string> lines_;
    std::string_view input_;
    const std::function<void()>& on_answer_;
    gateway::Variables variables_;
    std::string wire_;
};

/// Standard input is this text while the object lives.
class GivenInput {
public:
    explicit GivenInput(const std::string& text) : former_(::dup(STDIN_FILENO)), file_(std::tmpfile()) {
        if (!file_ || std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0)
            throw std::runtime_error("no temporary file");
        ::lseek(::fileno(file_), 0, SEEK_SET);
        ::dup2(::fileno(file_), STDIN_FILENO);
        std::cin.clear();
    }
    GivenInput(const GivenInput&) = delete;
    GivenInput& operator=(const GivenInput&) = delete;
    ~GivenInput() {
        if (former_ >= 0) {
            ::dup2(former_, STDIN_FILENO);
            ::close(former_);
        } else {
            ::close(STDIN_FILENO);
        }
        std::fclose(file_);
    }

private:
    int former_;
    std::FILE* file_;
};

/// What a stream of C++ is given goes into a text meanwhile.
class Kept {
public:
    explicit Kept(std::ostream& stream) : stream_(stream), former_(stream.rdbuf(text_.rdbuf())) { stream.clear(); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() { stream_.rdbuf(former_); }
    std::string text() const { return text_.str(); }

private:
    std::ostringstream text_;
    std::ostream& stream_;
    std::streambuf* former_;
};

void set_clock_and_configuration(const std::map<std::string, std::string>& environment) {
    for (const char* name : {"POSTERN_TEST_CLOCK", "POSTERN_CONFIG"}) ::setenv(name, environment.at(name).c_str(), 1);
}

}  // namespace

struct Host::Process {
    explicit Process(const EndpointProgram& program)
        : app(config::load_config(config::default_config_path()), program.endpoint),
          handler(program.handler),
          service(app, program.endpoint, handler) {
        if (program.endpoint.begin) program.endpoint.begin(app);
    }
    server::App app;
    const server::Handler handler;  ///< of this process alone: it may keep what belongs to the application
    server::Service service;
};

Host::Host(Life life) : life_(life) {
    Disk::instance();  // before anything is opened
}
Host::~Host() {
    if (deployment_) deployment_->run_by(nullptr);
}

void Host::take(Deployment& deployment) {
    deployment_ = &deployment;
    deployment.run_by(
        [this](const auto& argv, const auto& environment, const auto& input) { return run(argv, environment, input); });
}

void Host::start(const std::string& endpoint, const Deployment& deployment) {
    set_clock_and_configuration({{"POSTERN_TEST_CLOCK", std::to_string(deployment.now())},
                                 {"POSTERN_CONFIG", deployment.config_file().string()}});
    processes_[endpoint] = std::make_unique<Process>(endpoint_program(endpoint));
}

ProcessResult Host::run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
                        const std::string& input) {
    set_clock_and_configuration(environment);
    const std::string name = std::filesystem::path(argv.front()).filename().string();
    return name == "postern" ? run_postern(argv, input) : run_endpoint(name, environment, input);
}

ProcessResult Host::run_endpoint(const std::string& name, const std::map<std::string, std::string>& environment,
                                 const std::string& input) {
    const EndpointProgram& program = endpoint_program(name);
    KeptExchange exchange(environment, input, on_answer);
    std::unique_ptr<Process> own;
    std::unique_ptr<Process>& process = life_ == Life::long_one ? processes_[name] : own;
    try {
        if (!process) process = std::make_unique<Process>(program);
    } catch (const std::exception& error) {
        return {1, server::start_failure(error), error.what()};
    }
    process->service.run(exchange);
    // Not tidy_up, which sweeps by the toss of a coin: `postern purge` does that here.
    if (db::Database* database = process->app.database_if_open()) db::checkpoint_if_due(*database);
    return {0, exchange.wire(), ""};
}

ProcessResult Host::run_postern(const std::vector<std::string>& argv, const std::string& input) {
    std::vector<std::string> words = argv;
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const GivenInput given(input);
    const Kept out(std::cout);
    const Kept err(std::cerr);
    const int exit_code = run_command(static_cast<int>(words.size()), pointers.data());
    if (on_answer) on_answer();
    return {exit_code, out.text(), err.text()};
}

}  // namespace postern::test
