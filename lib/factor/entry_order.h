// The order of the entries of a password list.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "factor/password_list.h"

namespace postern::factor {

/// Passes entries on in order, each once. As many as are held may come in any order; a longer list must be in order
/// from its first entry on, and is passed on as it comes.
class EntryOrder {
public:
    EntryOrder(std::size_t most_held, std::function<void(PasswordEntry)> visit);

    /// Returns false for a list that is too long for its order.
    [[nodiscard]] bool add(PasswordEntry entry);

    /// Passes on what is held. To be called once, after the last `add`.
    void finish();

private:
    void pass(PasswordEntry entry);

    std::size_t most_held_;
    std::function<void(PasswordEntry)> visit_;
    std::vector<PasswordEntry> held_ = {};
    std::optional<PasswordEntry> last_ = {};  ///< that was passed on
};

}  // namespace postern::factor
