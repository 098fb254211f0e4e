// Decides which claims a client may be told under a name of its own.
#include "model/client_claim.h"

#include <algorithm>
#include <array>

#include "json/value.h"
#include "model/claim_names.h"
#include "model/group.h"
#include "model/standard_claims.h"
#include "util/text.h"

namespace postern::model {
namespace {

constexpr std::size_t kMaxText = 256;  // bytes

struct Prefix {
    SourceKind kind;
    std::string_view text;
};
constexpr std::array<Prefix, 3> kPrefixes = {
    {{SourceKind::group, "group:"}, {SourceKind::claim, "claim:"}, {SourceKind::constant, "const:"}}};

std::optional<std::string> source_problem(const ClaimSource& source) {
    switch (source.kind) {
        case SourceKind::groups:
            return std::nullopt;
        case SourceKind::group:
            if (is_group_name(source.text)) return std::nullopt;
            return "the name of a group is 1 to 64 of the characters A-Z a-z 0-9 . _ -";
        case SourceKind::claim:
            if (source.text == kGroups) return "write groups instead of claim:groups";
            if (is_claim_name(source.text) && !is_protocol_claim(source.text)) return std::nullopt;
            return "no user can have a claim of that name";
        case SourceKind::constant:
            if (is_told_name(source.text)) return std::nullopt;
            return "the text must be 1 to 256 bytes of UTF-8 without control and direction characters";
    }
    return std::nullopt;
}

/// A value like those that the source has; nullopt: only the user's own claim decides.
std::optional<json::Value> sample_of(const ClaimSource& source) {
    switch (source.kind) {
        case SourceKind::groups:
            return json::strings({"staff"});
        case SourceKind::group:
            return true;
        case SourceKind::constant:
            return source.text;
        case SourceKind::claim:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::string to_string(const ClaimSource& source) {
    const auto* prefix = std::ranges::find(kPrefixes, source.kind, &Prefix::kind);
    return prefix == kPrefixes.end() ? kGroups : std::string(prefix->text) + source.text;
}

std::optional<ClaimSource> parse_claim_source(std::string_view text) {
    if (text == kGroups) return ClaimSource{};
    for (const Prefix& prefix : kPrefixes)
        if (text.starts_with(prefix.text))
            return ClaimSource{prefix.kind, std::string(text.substr(prefix.text.size()))};
    return std::nullopt;
}

std::optional<std::string> claim_behind(const ClaimSource& source) {
    switch (source.kind) {
        case SourceKind::groups:
        case SourceKind::group:
            return kGroups;
        case SourceKind::claim:
            return source.text;
        case SourceKind::constant:
            return std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::string> client_claim_problem(const ClientClaim& claim) {
    if (!is_claim_name(claim.name))
        return "the name must be 1 to 64 printable ASCII characters without space, quotation mark and backslash";
    if (is_protocol_claim(claim.name)) return "it is set by the server itself; choose another name";
    if (claim.name == kGroups && claim.source.kind != SourceKind::groups)
        return "it has the names of groups and nothing else; `postern client set --rename` changes names";
    if (auto problem = source_problem(claim.source)) return problem;
    const StandardClaim* shape = find_standard_claim(claim.name);
    const auto sample = sample_of(claim.source);
    if (shape && sample && !shape->fits(*sample)) return std::string("it must be ") + shape->wanted;
    return std::nullopt;
}

bool is_told_name(std::string_view name) {
    return name.size() <= kMaxText && !util::trim(name).empty() && util::displayable(name) == name;
}

}  // namespace postern::model
