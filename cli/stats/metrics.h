// Numbers for Prometheus, in its text exposition format 0.0.4.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace postern::cli {

struct Sample {
    std::vector<std::pair<std::string, std::string>> labels;
    std::int64_t value = 0;
};

/// A gauge: all values are states, and this program counts nothing itself.
struct Metric {
    std::string name;  ///< without the prefix "postern_"
    std::string help;
    std::vector<Sample> samples;
};

void print_metrics(const std::vector<Metric>& metrics);

}  // namespace postern::cli
