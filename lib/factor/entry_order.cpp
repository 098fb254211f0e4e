// The order of the entries of a password list.
#include "factor/entry_order.h"

#include <algorithm>
#include <utility>

namespace postern::factor {

EntryOrder::EntryOrder(std::size_t most_held, std::function<void(PasswordEntry)> visit)
    : most_held_(most_held), visit_(std::move(visit)) {}

bool EntryOrder::add(PasswordEntry entry) {
    if (!last_ && held_.size() < most_held_) {
        held_.push_back(entry);
        return true;
    }
    if (!last_ && !std::ranges::is_sorted(held_)) return false;
    finish();
    if (last_ && entry < *last_) return false;
    pass(entry);
    return true;
}

void EntryOrder::finish() {
    std::ranges::sort(held_);
    for (const PasswordEntry entry : held_) pass(entry);
    held_ = {};
}

void EntryOrder::pass(PasswordEntry entry) {
    if (entry != last_) visit_(entry);
    last_ = entry;
}

}  // namespace postern::factor
