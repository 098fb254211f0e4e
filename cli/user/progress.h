// A progress bar for long work.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace postern::cli {

/// Draws on standard error if that is a terminal; otherwise draws nothing.
class Progress {
public:
    Progress(std::string what, std::size_t total);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();  ///< removes the bar

    void advance(std::size_t by = 1);

private:
    using Clock = std::chrono::steady_clock;
    void draw(Clock::time_point now);
    std::string what_;
    std::size_t total_;
    std::size_t done_ = 0;
    std::size_t drawn_ = 0;  ///< columns of the last line drawn
    bool visible_;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point next_ = begun_;
};

}  // namespace postern::cli
