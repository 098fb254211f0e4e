// Decides which name a text stands for; OpenSSL knows the attributes and compares names.
#include "crypto/distinguished_name.h"

#include <openssl/asn1.h>
#include <openssl/objects.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "util/percent.h"
#include "util/text.h"

namespace postern::crypto {
namespace {

using Object = openssl::Owned<ASN1_OBJECT, ASN1_OBJECT_free>;

struct Attribute {
    std::string type;
    std::string value;
    bool is_of_same_rdn = false;  ///< as the attribute before it
};

/// RFC 4514 §3, in OpenSSL's spelling. Its names are compared without regard to case (RFC 4512 §2.5).
constexpr std::string_view kShortNames[] = {"CN", "L", "ST", "O", "OU", "C", "street", "DC", "UID"};

constexpr std::string_view kEscaped = "\"+,;<>\\ #=";

/// One byte behind a backslash: a special character, or two hexadecimal digits.
std::optional<char> read_escape(std::string_view text, std::size_t& at) {
    if (at + 1 >= text.size()) return std::nullopt;
    const char next = text[at + 1];
    if (kEscaped.find(next) != kEscaped.npos) {
        at += 2;
        return next;
    }
    const std::string hex = "%" + std::string(text.substr(at + 1, 2));
    const auto byte = util::percent_byte(hex, 0);
    if (byte) at += 3;
    return byte;
}

/// Reads up to an unescaped separator. Blanks at the ends do not count unless they are escaped.
std::optional<std::string> read_value(std::string_view text, std::size_t& at) {
    while (at < text.size() && text[at] == ' ') ++at;
    if (at < text.size() && text[at] == '#') return std::nullopt;
    std::string value;
    std::size_t kept = 0;  // as much is not blank, or was escaped
    while (at < text.size() && text[at] != ',' && text[at] != '+') {
        if (text[at] == '\\') {
            const auto byte = read_escape(text, at);
            if (!byte) return std::nullopt;
            value += *byte;
            kept = value.size();
            continue;
        }
        if (std::string_view("\";<>").find(text[at]) != std::string_view::npos) return std::nullopt;
        value += text[at++];
        if (value.back() != ' ') kept = value.size();
    }
    value.resize(kept);
    return value.empty() ? std::nullopt : std::optional(std::move(value));
}

std::optional<std::vector<Attribute>> read_attributes(std::string_view text) {
    std::vector<Attribute> attributes;
    std::size_t at = 0;
    bool is_of_same_rdn = false;
    while (true) {
        const std::size_t equals = text.find('=', at);
        if (equals == text.npos) return std::nullopt;
        std::string type(util::trim(text.substr(at, equals - at)));
        at = equals + 1;
        auto value = read_value(text, at);
        if (type.empty() || !value) return std::nullopt;
        attributes.push_back({std::move(type), std::move(*value), is_of_same_rdn});
        if (at == text.size()) return attributes;
        is_of_same_rdn = text[at++] == '+';
    }
}

Object find_object(const std::string& type) {
    const auto* known =
        std::ranges::find_if(kShortNames, [&](std::string_view name) { return util::equal_ignoring_case(name, type); });
    const std::string name = known == std::end(kShortNames) ? type : std::string(*known);
    return Object(OBJ_txt2obj(name.c_str(), 0));
}

bool add(X509_NAME* name, const Attribute& attribute, int set) {
    const Object object = find_object(attribute.type);
    return object && X509_NAME_add_entry_by_OBJ(name, object.get(), MBSTRING_UTF8, openssl::bytes(attribute.value),
                                                openssl::to_int(attribute.value.size()), 0, set) == 1;
}

}  // namespace

X509Name parse_distinguished_name(std::string_view text) {
    const openssl::Use use;
    const auto attributes = read_attributes(text);
    if (!attributes) return nullptr;
    X509Name name(openssl::require(X509_NAME_new(), "no memory for a name"));
    // Each RDN goes in front of those before it: `set` 0 begins one, 1 joins the one that follows the place.
    for (const Attribute& attribute : *attributes)
        if (!add(name.get(), attribute, attribute.is_of_same_rdn ? 1 : 0)) return nullptr;
    return name;
}

}  // namespace postern::crypto
