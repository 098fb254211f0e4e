// Remembers every secret that passed through a test, and finds those that were left lying about.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/answer.h"

namespace postern::test {

struct CgiRequest;

class Secrets {
public:
    /// `kind` says what it is in a message. Values of less than twelve bytes are not searched for: they stand anywhere.
    void remember(const std::string& kind, std::string_view value);
    /// Learns the sender's proofs: Authorization, Cookie, and the fields of forms that hold secrets.
    void learn(const CgiRequest& request);
    /// Learns the secrets that the server gives out: cookies, codes, tokens, seals and form tokens.
    void learn(const Answer& answer);
    /// Learns the standard input of a command, and the secret that it printed.
    void learn_command(const std::string& input, const std::string& output);

    /// The kinds of those that `text` holds: as they are, percent-encoded, as JSON, in base64 of any alignment or in
    /// UTF-16. The values themselves are never in a message.
    std::set<std::string> found_in(std::string_view text) const;
    /// "postern.db-wal: cookie" for each kind in each file below `directory`.
    std::vector<std::string> found_below(const std::filesystem::path& directory) const;

    bool empty() const { return kinds_.empty(); }

private:
    void add_needle(const std::string& kind, std::string needle);
    void learn_form(const std::string& text);
    std::map<std::string, std::string> kinds_;  ///< by value
    std::set<std::string> challenges_;          ///< which are no secret when somebody sends one as the verifier
    /// The texts that are searched for, by their first eight bytes; and a bit for each such beginning, to pass over the
    /// rest fast.
    std::unordered_map<std::uint64_t, std::vector<std::pair<std::string, std::string>>> needles_;
    std::vector<std::uint8_t> begins_ = std::vector<std::uint8_t>(std::size_t{1} << 16);
};

/// Fails the test for each kind in `text`; `where` says what that is.
void check_no_secrets(const Secrets& secrets, std::string_view text, const std::string& where);
/// Checks the files below `directory`.
void check_no_secrets_below(const Secrets& secrets, const std::filesystem::path& directory);

}  // namespace postern::test
