// Parameters of a query or a form as a value that a test row changes in one place.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postern::test {

class Query {
public:
    Query() = default;
    Query(std::initializer_list<std::pair<std::string, std::string>> pairs);

    /// The parameter gets this value, whether it was there or not.
    Query with(const std::string& name, const std::string& value) const;
    /// One more of that name, behind everything else.
    Query and_also(const std::string& name, const std::string& value) const;
    Query without(const std::string& name) const;
    /// Text that is not encoded, behind everything else: "state=%zz".
    Query raw(const std::string& text) const;

    /// `a=b&c=d`, percent-encoded.
    std::string text() const;

private:
    std::vector<std::pair<std::string, std::string>> pairs_;
    std::string raw_;
};

/// The decoded value of `name` in the query of a URL; nullopt when it is not there.
std::optional<std::string> query_parameter(std::string_view url, std::string_view name);
/// Returns a parameter of the fragment, which is encoded like a query (RFC 6749 §4.2.2).
std::optional<std::string> fragment_parameter(std::string_view url, std::string_view name);
/// The URL up to its query or fragment.
std::string without_query(std::string_view url);

}  // namespace postern::test
