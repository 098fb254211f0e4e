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
    /// The number of commits of a run on a working disk. A state between two commits can be seen after a failure.
    int commits;
    std::function<Answer(SampleInstallation&)> perform;
    /// Returns whether the answer says that the operation was done (for a read: that the answer is true).
    std::function<bool(const Answer&)> done;
    /// Prepares the installation before the run, without faults; nullptr: no preparation.
    std::function<void(SampleInstallation&)> prepare = nullptr;
    /// Returns whether the endpoints keep the promise of the operation, after a run that was done.
    std::function<bool(SampleInstallation&)> holds = nullptr;
    /// The programs that exist when the run begins.
    std::vector<std::string> programs = {};
};

const std::vector<Operation>& operations();
/// Returns the operation of that name; throws std::logic_error when there is no such operation.
const Operation& operation(std::string_view name);

/// Runs a command and returns its result as the answer of an endpoint: 200 for done, 503 for refused, 500 for anything
/// else.
Answer command(const SampleInstallation& installation, const std::vector<std::string>& arguments,
               const std::string& input = {});

/// Returns the fault of a refusal, or "". A sound refusal promises and tells nothing: it is a 503 with Retry-After, or
/// a command that says why.
std::string fault_of_refusal(const SampleInstallation& installation, const Answer& answer);

}  // namespace postern::test
