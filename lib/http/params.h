// Parameters of a query or a form body, decoded once and strictly (RFC 6749 §3.1, §3.2, appendix B).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace postern::http {

/// The fault of one parameter. A broken one has no value: `find` returns nullopt for it.
enum class ParamFault {
    duplicate,  ///< given more than once, equal values included
    malformed,  ///< bad percent-encoding, NUL, another control byte, or not UTF-8
};

/// The reason to refuse a whole query or body before any parameter is looked at.
enum class ParamsError { too_many, malformed_name };

/// A set of parameters. Empty values count as absent (RFC 6749 §3.1); names compare byte by byte.
/// Values are ordinary strings: a password or client secret of a form stays in memory until the request ends. The
/// promise of util::Secret begins with the caller that takes the value.
class Params {
public:
    Params() = default;

    /// Splits at `&` and the first `=`. Text without a name (`=x`, `&&`) is skipped.
    static util::Result<Params, ParamsError> parse(std::string_view text, std::size_t max_parameters);

    /// Returns the value, which is never empty and lives as long as the parameters; nullopt when absent, empty or
    /// faulty.
    std::optional<std::string_view> find(std::string_view name) const;

    /// Returns text of one line that a person typed or pasted: nothing invisible at its ends, tabs and line ends inside
    /// as blanks (docs/decisions/0098). "" when absent or empty; nullopt when given twice or not text. Not for secrets.
    std::optional<std::string> find_typed(std::string_view name) const;

    /// Returns all values of a parameter that may be repeated (RFC 8707 §2) without empty ones; nullopt when one is
    /// malformed.
    std::optional<std::vector<std::string>> find_all(std::string_view name) const;

    /// Returns the fault of `name`, if it has one.
    std::optional<ParamFault> fault_of(std::string_view name) const;

    /// Returns the first of `names` that is faulty: endpoints name the parameters they know, unknown ones are ignored.
    std::optional<std::string> first_fault(std::initializer_list<std::string_view> names) const;

private:
    struct Entry {
        std::string name;
        std::string value;  ///< of a malformed one what was decoded, for find_typed; "" if that failed
        std::optional<ParamFault> fault;
        std::vector<std::string> repeated;  ///< the values behind the first
        bool is_broken = false;             ///< one of the values is malformed
    };
    const Entry* entry(std::string_view name) const;

    std::vector<Entry> entries_;
};

}  // namespace postern::http
