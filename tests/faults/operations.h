// Everything that a server does to its database, each as one request or one command.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/sample_installation.h"

namespace postern::test {

enum class Effect {
    takes,   ///< a right away: durable before it is answered
    grants,  ///< something: may be lost with the power, whole
    reads,   ///< nothing
};

struct Operation {
    std::string name;
    Effect effect;
    /// How often a run commits that finds everything well. What is between two commits can be seen after a failure.
    int commits;
    std::function<Answer(SampleInstallation&)> perform;
    /// Whether the answer says that it was done (of a read: that it says what is so).
    std::function<bool(const Answer&)> done;
    /// Clean, before the run; nullptr: nothing.
    std::function<void(SampleInstallation&)> prepare = nullptr;
    /// Asked of the endpoints after a run that was done: whether everything is as it was promised.
    std::function<bool(SampleInstallation&)> holds = nullptr;
    /// The programs that are there when the run begins.
    std::vector<std::string> programs = {};
};

const std::vector<Operation>& operations();
/// By name; throws std::logic_error when there is none.
const Operation& operation(std::string_view name);

/// The answer of a command as one of an endpoint: 200 for done, 503 for refused, 500 for anything else.
Answer command(const SampleInstallation& installation, const std::vector<std::string>& arguments,
               const std::string& input = {});

/// An answer that promises nothing and tells nothing: 503 with Retry-After, or a command that says why. "" or what is
/// wrong.
std::string fault_of_refusal(const SampleInstallation& installation, const Answer& answer);

}  // namespace postern::test
