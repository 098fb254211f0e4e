// Starts OpenSSL in a process where only Postern uses it.
#pragma once

namespace postern::crypto {

/// Starts OpenSSL in a process where only Postern calls it, before any other function of this module is called. OpenSSL
/// then does without the lists for interfaces from before 3.0, which we never use, and without its error texts; a
/// reason is then a number that `openssl errstr` explains (docs/decisions/0038-start-up-cost.md).
void start_alone();

/// Names the digests that certificates are signed with, for a library that calls OpenSSL too: after start_alone() no
/// certificate could be verified.
void name_digests();

}  // namespace postern::crypto
