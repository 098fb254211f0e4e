// Lines that are printed when all of them are there.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace postern::cli {

/// Rows are read into it first, because a paused terminal must not keep a snapshot of the database open: no space could
/// be used again meanwhile. What is longer than a megabyte is in a temporary file without a name, so that a long list
/// is never in memory.
class Spool {
public:
    /// A line without its end, and without any other. Throws Refused when no temporary file can be written.
    void add(std::string_view line);
    /// In the order in which they came.
    void each_line(const std::function<void(std::string_view)>& visit);

private:
    struct Close {
        void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
    };
    void spill();

    std::string latest_;
    std::unique_ptr<std::FILE, Close> earlier_;
};

}  // namespace postern::cli
