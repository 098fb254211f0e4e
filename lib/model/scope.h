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
    /// Reads a text that `to_string` returned once, which is not checked again: it may have more than 64 tokens.
    static Scope stored(std::string text);

    const std::string& to_string() const { return text_; }
    bool empty() const { return text_.empty(); }
    bool contains(std::string_view token) const;
    bool is_subset_of(const Scope& other) const;
    std::vector<std::string> tokens() const;
    void add(std::string_view token);     ///< no effect when it is there
    void add(const Scope& other);         ///< each of its tokens
    void remove(std::string_view token);  ///< no effect when it is not
    bool operator==(const Scope& other) const = default;

private:
    std::string text_;  ///< the tokens with single spaces between them
};

}  // namespace postern::model
