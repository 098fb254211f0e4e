// Decides when a transaction is run again.
#include "db/write.h"

#include <algorithm>
#include <random>
#include <thread>

namespace postern::db {
namespace {

constexpr int kMostConflicts = 8;
constexpr int kMostOfConstraints = 1;
constexpr int kLongestPause = 200;  // milliseconds

}  // namespace

void Retries::pause_after(const StoreConflict& conflict) {
    const bool is_of_constraint = conflict.kind == StoreConflict::Kind::constraint;
    if (is_of_constraint && ++of_constraints_ > kMostOfConstraints) throw StoreError(conflict.what());
    if (conflicts_ >= kMostConflicts) throw StoreBusy(conflict.what());
    static std::minstd_rand random{std::random_device{}()};
    const int longest = std::min(kLongestPause, 5 << conflicts_);
    const std::chrono::milliseconds pause(std::uniform_int_distribution<int>(0, longest)(random));
    if (std::chrono::steady_clock::now() + pause >= deadline_) throw StoreBusy(conflict.what());
    ++conflicts_;
    std::this_thread::sleep_for(pause);
}

}  // namespace postern::db
