// Prints metrics in the text format of Prometheus.
#include "cli/stats/metrics.h"

#include <iostream>
#include <string_view>

namespace postern::cli {
namespace {

/// Escapes backslash and line feed, and in a label's value the quotation mark.
std::string escaped(std::string_view text, bool quoted) {
    std::string out;
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\\' || (quoted && c == '"')) out += '\\';
        out += c;
    }
    return out;
}

std::string to_text(const Sample& sample) {
    std::string text;
    for (const auto& [name, value] : sample.labels) {
        text += (text.empty() ? "{" : ",") + name + "=\"" + escaped(value, true) + '"';
    }
    if (!text.empty()) text += '}';
    return text + " " + std::to_string(sample.value);
}

}  // namespace

void print_metrics(const std::vector<Metric>& metrics) {
    for (const Metric& metric : metrics) {
        const std::string name = "postern_" + metric.name;
        std::cout << "# HELP " << name << ' ' << escaped(metric.help, false) << '\n' << "# TYPE " << name << " gauge\n";
        for (const Sample& sample : metric.samples) std::cout << name << to_text(sample) << '\n';
    }
}

}  // namespace postern::cli
