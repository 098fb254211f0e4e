// One GET over HTTPS, with libcurl (FETCH-5 to FETCH-8).
#pragma once

#include "fetch/fetcher.h"
#include "fetch/outbound.h"

/// libcurl and its TLS library, before files are out of reach. Throws std::runtime_error.
void start_transfers();

/// The URL has no fault. No redirect is followed. 3 s to connect, 5 s in all.
postern::fetch::Reply transfer(const postern::fetch::Question& question, const postern::fetch::Outbound& limits);
