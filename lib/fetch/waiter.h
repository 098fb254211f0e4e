// The life of the child of an endpoint that may fetch: it waits, and runs a program for each question.
#pragma once

#include "fetch/outbound.h"

namespace postern::fetch {

/// Runs in the child alone, and keeps of its parent's descriptors `pair` alone. The bytes of a question are not looked
/// at: they go to the program, behind the limits. Ends the process when the other end of the pair is closed.
[[noreturn]] void wait_for_questions(int pair, const Outbound& outbound) noexcept;

}  // namespace postern::fetch
