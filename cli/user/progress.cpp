// Draws a progress bar on one line of the terminal and removes it at the end.
#include "cli/user/progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

namespace postern::cli {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr std::chrono::milliseconds kInterval{100};
constexpr std::chrono::seconds kBeforeGuessing{2};

std::string time_text(std::int64_t seconds) {
    if (seconds < 90) return std::to_string(seconds) + " s";
    return std::to_string((seconds + 30) / 60) + " min";
}

}  // namespace

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), visible_(total > 0 && isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (drawn_ > 0) std::cerr << '\r' << std::string(drawn_, ' ') << '\r' << std::flush;
}

void Progress::advance(std::size_t by) {
    done_ += by;
    const auto now = Clock::now();
    if (!visible_ || (now < next_ && done_ < total_)) return;
    next_ = now + kInterval;
    draw(now);
}

void Progress::draw(Clock::time_point now) {
    const std::size_t filled = kBarWidth * std::min(done_, total_) / total_;
    std::string line = what_ + " [" + std::string(filled, '#') + std::string(kBarWidth - filled, '-') + "] " +
                       std::to_string(done_) + "/" + std::to_string(total_);
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now - begun_);
    if (passed >= kBeforeGuessing && done_ < total_) {
        const auto left = passed.count() * static_cast<std::int64_t>(total_ - done_) / static_cast<std::int64_t>(done_);
        line += ", " + time_text(left) + " left";
    }
    const std::size_t columns = line.size();
    if (columns < drawn_) line.append(drawn_ - columns, ' ');
    drawn_ = columns;
    std::cerr << '\r' << line << std::flush;
}

}  // namespace postern::cli
