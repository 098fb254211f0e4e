// The child that an endpoint starts before it gives up the right to start programs (FETCH-2).
#pragma once

#include <memory>

#include "fetch/fetcher.h"
#include "fetch/outbound.h"

namespace postern::fetch {

/// Forks the child; call it before secrets are read and threads are started. The child waits outside of the sandbox.
/// For each question it runs `outbound.program`, with the limits that the configuration had when it was forked, and
/// kills one that takes longer than 8 s. It ends with this process. Throws std::system_error.
std::unique_ptr<Fetcher> start_child(const Outbound& outbound);

}  // namespace postern::fetch
