// Decides which keys of a set that somebody else wrote can be used.
#include "jose/client_keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "crypto/foreign_key.h"
#include "jose/jwk.h"
#include "json/reader.h"
#include "json/writer.h"
#include "util/base64.h"

namespace postern::jose {
namespace {

using crypto::Algorithm;
using crypto::PublicMembers;

constexpr json::Limits kLimits{.bytes = kMaxClientKeySetBytes, .depth = 8, .nodes = 4096};
constexpr std::size_t kMaxKidBytes = 256;

struct AlgorithmName {
    std::string_view name;
    Algorithm algorithm;
};
constexpr std::array<AlgorithmName, 5> kAlgorithms = {{{"RS256", Algorithm::RS256},
                                                       {"ES256", Algorithm::ES256},
                                                       {"PS256", Algorithm::PS256},
                                                       {"EdDSA", Algorithm::EdDSA},
                                                       {"Ed25519", Algorithm::EdDSA}}};

bool is_text(const json::Object& key, std::string_view name, std::string_view expected) {
    const std::string* text = key.find_string(name);
    return text != nullptr && *text == expected;
}

bool is_absent_or(const json::Object& key, std::string_view name, std::string_view expected) {
    return key.find(name) == nullptr || is_text(key, name, expected);
}

/// RFC 7517 §4.3
bool may_verify(const json::Object& key) {
    const json::Value* operations = key.find("key_ops");
    if (operations == nullptr) return true;
    const json::Array* list = operations->if_array();
    return list != nullptr && std::ranges::any_of(*list, [](const json::Value& one) {
               const std::string* name = one.if_string();
               return name != nullptr && *name == "verify";
           });
}

std::string bytes_of(const json::Object& key, std::string_view name) {
    const std::string* text = key.find_string(name);
    return text != nullptr ? util::base64url_decode(*text).value_or(std::string()) : std::string();
}

/// The types and curves of kAlgorithms; the members of another one are not looked at.
struct Shape {
    std::string_view kty;
    std::string_view crv;  ///< "": has none
    PublicMembers (*read)(const json::Object& key);
};
const std::array<Shape, 3> kShapes = {{
    {"RSA", "",
     [](const json::Object& key) -> PublicMembers {
         return crypto::RsaPublic{bytes_of(key, "n"), bytes_of(key, "e")};
     }},
    {"EC", "P-256",
     [](const json::Object& key) -> PublicMembers {
         return crypto::EcPublic{bytes_of(key, "x"), bytes_of(key, "y")};
     }},
    {"OKP", "Ed25519", [](const json::Object& key) -> PublicMembers { return crypto::OkpPublic{bytes_of(key, "x")}; }},
}};

const Shape* shape_of(const json::Object& key) {
    const auto shape = std::ranges::find_if(kShapes, [&](const Shape& known) {
        return is_text(key, "kty", known.kty) && (known.crv.empty() || is_text(key, "crv", known.crv));
    });
    return shape == kShapes.end() ? nullptr : &*shape;
}

/// RFC 7517 §4.7: the first certificate has the key.
bool contradicts_certificate(const json::Object& key, const PublicMembers& members) {
    const json::Value* chain = key.find("x5c");
    if (chain == nullptr) return false;
    const json::Array* list = chain->if_array();
    const std::string* first = list != nullptr && !list->empty() ? list->front().if_string() : nullptr;
    const auto der = first != nullptr ? util::base64_decode(*first) : std::nullopt;
    return !der || !crypto::is_certificate_of(*der, members);
}

using Problem = std::optional<std::string>;

/// Appends the key unless it is for something else.
Problem read_key(const json::Value& value, ClientKeys& keys) {
    const json::Object* key = value.if_object();
    if (key == nullptr) return "is not an object";
    const std::string* kty = key->find_string("kty");
    if (kty == nullptr) return "has no \"kty\"";
    // RFC 7517 §9.2, also of a key that would not be used: whoever can read the set can sign with it.
    if (*kty == "oct") return "is symmetric: register public keys only";
    if (const auto name = private_member(*key))
        return "has \"" + std::string(*name) +
               "\", a part of a private key: make a new key, and register its public half";

    const Shape* shape = shape_of(*key);
    if (shape == nullptr || !is_absent_or(*key, "use", "sig") || !may_verify(*key)) return std::nullopt;
    ClientKey read;
    read.members = shape->read(*key);
    if (const json::Value* alg = key->find("alg")) {
        const std::string* name = alg->if_string();
        read.algorithm = name != nullptr ? parse_foreign_algorithm(*name) : std::nullopt;
        if (!read.algorithm || !crypto::fits(*read.algorithm, read.members)) return std::nullopt;
    }
    if (const json::Value* kid = key->find("kid")) {
        const std::string* name = kid->if_string();
        if (name == nullptr || name->size() > kMaxKidBytes) return "has a \"kid\" that is no string of up to 256 bytes";
        read.kid = *name;
    }
    if (!crypto::ForeignKey::from_members(read.members))
        return "is not a sound key: RSA needs 2048 to 4096 bits and an exponent from 65537 to 2^32-1, EC a point on P-256, "
               "and each number is base64url without padding and without leading zero bytes";
    if (contradicts_certificate(*key, read.members)) return "has an \"x5c\" whose certificate is of another key";
    keys.push_back(std::move(read));
    return std::nullopt;
}

json::Object to_json(const ClientKey& key) {
    json::Object out = jose::to_json(key.members);
    if (key.kid) out.set("kid", *key.kid);
    if (key.algorithm) out.set("alg", crypto::to_string(*key.algorithm));
    return out;
}

}  // namespace

std::optional<Algorithm> parse_foreign_algorithm(std::string_view name) {
    const auto found = std::ranges::find(kAlgorithms, name, &AlgorithmName::name);
    return found == kAlgorithms.end() ? std::nullopt : std::optional(found->algorithm);
}

util::Result<ClientKeys, std::string> parse_client_keys(std::string_view text) {
    const auto value = json::parse(text, json::Dialect::strict, kLimits);
    if (!value) return "line " + std::to_string(value.error().line) + ": " + value.error().reason;
    const json::Object* object = value->if_object();
    const json::Value* list = object != nullptr ? object->find("keys") : nullptr;
    if (list == nullptr || list->if_array() == nullptr) return std::string("there is no array \"keys\"");
    const json::Array& entries = *list->if_array();
    if (entries.size() > kMaxClientKeys) return "there are more than " + std::to_string(kMaxClientKeys) + " keys";

    ClientKeys keys;
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (const Problem problem = read_key(entries[i], keys)) return "key " + std::to_string(i + 1) + ' ' + *problem;
    if (keys.empty()) return std::string("no key can verify signatures by RS256, ES256, PS256 or EdDSA with Ed25519");
    if (write_client_keys(keys).size() > kMaxUsableKeysBytes)
        return "the keys that can be used have more than " + std::to_string(kMaxUsableKeysBytes) + " bytes";
    return keys;
}

util::Result<ClientKey, std::string> parse_header_key(const json::Object& key) {
    json::Object own = key;
    for (const char* name : {"kid", "x5c"}) own.erase(name);
    ClientKeys keys;
    if (Problem problem = read_key(own, keys)) return *std::move(problem);
    if (keys.empty()) return std::string("cannot verify signatures by ES256, PS256 or EdDSA with Ed25519");
    ClientKey only = std::move(keys.front());
    return only;
}

std::string write_client_keys(const ClientKeys& keys) {
    return json::write(json::Object{{"keys", json::array_of(keys, [](const ClientKey& key) { return to_json(key); })}});
}

std::vector<const ClientKey*> candidates(const ClientKeys& keys, Algorithm algorithm,
                                         const std::optional<std::string>& kid) {
    std::vector<const ClientKey*> found;
    for (const ClientKey& key : keys) {
        const bool is_for_it = key.algorithm.value_or(algorithm) == algorithm && crypto::fits(algorithm, key.members);
        if (is_for_it && (!kid || key.kid == kid)) found.push_back(&key);
    }
    return found;
}

bool needs_kids(const ClientKeys& keys) {
    return std::ranges::any_of(kAlgorithms, [&](const AlgorithmName& row) {
        return candidates(keys, row.algorithm, std::nullopt).size() > kMaxCandidates;
    });
}

}  // namespace postern::jose
