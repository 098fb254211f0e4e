// The calls by which the programs themselves, not SQLite, write files: keys, copies, the write lock. The linker puts
// these in front of the C library's (--wrap), so that one of them can be told to fail.
#pragma once

#include <functional>
#include <utility>

namespace postern::test {

class System {
public:
    static System& instance();

    /// The `at`-th call from now on fails with this number, once.
    void arm(int at, int error);
    void disarm() { at_ = 0; }
    bool struck() const { return struck_; }

    /// Called before each of the calls, those included that never fail here.
    void before_calls(std::function<void()> passing) { passing_ = std::move(passing); }
    void pass() const {
        if (passing_) passing_();
    }

    bool refuses();  ///< and sets errno

private:
    int at_ = 0;
    int counted_ = 0;
    int error_ = 0;
    bool struck_ = false;
    std::function<void()> passing_;
};

}  // namespace postern::test
