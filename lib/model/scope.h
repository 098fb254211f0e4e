// A set of scope tokens (RFC 6749 §3.3, appendix A.4).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::model {

/// Whole words, compared byte by byte, kept in the order asked for, each once.
class Scope {
public:
    Scope() = default;  ///< the empty scope

    /// Tokens of %x21 / %x23-5B / %x5D-7E separated by single spaces; nullopt for anything else, "" is the empty scope.
    /// At most 64 tokens.
    static std::optional<Scope> parse(std::string_view text);

    std::string to_string() const;
    bool empty() const { return tokens_.empty(); }
    bool contains(std::string_view token) const;
    bool is_subset_of(const Scope& other) const;
    const std::vector<std::string>& tokens() const { return tokens_; }
    void add(std::string_view token);     ///< no effect when it is there
    void remove(std::string_view token);  ///< no effect when it is not
    bool operator==(const Scope& other) const = default;

private:
    std::vector<std::string> tokens_;
};

}  // namespace postern::model
