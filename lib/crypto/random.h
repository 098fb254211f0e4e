// Unpredictable bytes, and the identifiers made of them.
#pragma once

#include <cstddef>
#include <string>

namespace postern::crypto {

class Random {
public:
    virtual ~Random() = default;
    /// Returns `count` bytes. Throws CryptoError when the source fails: there is no weaker fallback.
    virtual std::string bytes(std::size_t count) = 0;
};

class SystemRandom final : public Random {
public:
    std::string bytes(std::size_t count) override;
};

/// A source for tests: SHA-256 in counter mode over a seed; one seed always gives one sequence of bytes.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::string seed) : seed_(std::move(seed)) {}
    std::string bytes(std::size_t count) override;

private:
    std::string seed_;
    unsigned long long counter_ = 0;
};

/// 256 bits as 43 base64url characters: codes, session ids, cookies, client secrets.
std::string random_token(Random& random);
/// 128 bits as 22 base64url characters: ids that are not secrets (subjects, grants). Never with a dash in front: people
/// type them as arguments of commands, where it would begin an option.
std::string random_id(Random& random);

}  // namespace postern::crypto
