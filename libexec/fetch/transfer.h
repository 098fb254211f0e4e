// One GET over HTTPS, with libcurl (FETCH-5 to FETCH-8).
#pragma once

#include "fetch/fetcher.h"
#include "fetch/outbound.h"

/// Starts libcurl and its TLS library, before files are out of reach. Throws std::runtime_error.
void start_transfers();

/// Fetches a URL without fault: follows no redirect, and takes 3 s to connect and 5 s in all at most.
postern::fetch::Reply transfer(const postern::fetch::Question& question, const postern::fetch::Outbound& limits);
