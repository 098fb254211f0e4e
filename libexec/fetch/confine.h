// What the program that fetches gives up before it connects.
#pragma once

#include "fetch/outbound.h"

/// From now on this process reads certificates and what names are resolved with, and connects to the ports of `limits`
/// and to name servers: as far as the kernel can forbid the rest. Throws std::runtime_error.
void confine(const postern::fetch::Outbound& limits);
