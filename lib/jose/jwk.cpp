// Decides what a public key looks like as JSON, and which JSON is one (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2, RFC
// 7638).
#include "jose/jwk.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "crypto/digest.h"
#include "crypto/error.h"
#include "json/reader.h"
#include "json/writer.h"
#include "util/base64.h"

namespace postern::jose {

namespace {

using Members = std::vector<std::pair<std::string, std::string>>;
using util::base64url_encode;

/// RFC 7638 §3.2: the required members of each kind, in lexical order.
Members required_members(const crypto::RsaPublic& rsa) {
    return {{"e", base64url_encode(rsa.e)}, {"kty", "RSA"}, {"n", base64url_encode(rsa.n)}};
}
Members required_members(const crypto::EcPublic& ec) {
    return {{"crv", "P-256"}, {"kty", "EC"}, {"x", base64url_encode(ec.x)}, {"y", base64url_encode(ec.y)}};
}
Members required_members(const crypto::OkpPublic& okp) {
    return {{"crv", "Ed25519"}, {"kty", "OKP"}, {"x", base64url_encode(okp.x)}};
}
Members required_members(const crypto::PublicMembers& key) {
    return std::visit([](const auto& members) { return required_members(members); }, key);
}

std::string quoted(std::string_view name) { return '"' + std::string(name) + '"'; }

/// Reads one entry. The first problem stays; a member that is not there reads as empty, and no key survives that.
class Entry {
public:
    explicit Entry(const json::Object& object) : object_(object) {}

    void note(std::string problem) {
        if (problem_.empty()) problem_ = std::move(problem);
    }
    const std::string& problem() const { return problem_; }

    std::string text(std::string_view name) {
        const json::Value* value = object_.find(name);
        const std::string* held = value != nullptr ? value->if_string() : nullptr;
        if (held == nullptr || held->empty()) note(quoted(name) + " is missing or not a string");
        return held != nullptr ? *held : std::string();
    }

    std::string bytes(std::string_view name) {
        auto decoded = util::base64url_decode(text(name));
        if (!decoded) note(quoted(name) + " is not base64url");
        return decoded.value_or(std::string());
    }

    void is(std::string_view name, std::string_view expected) {
        if (text(name) != expected) note(quoted(name) + " is not " + quoted(expected));
    }

    void is_if_present(std::string_view name, std::string_view expected) {
        if (object_.find(name) != nullptr) is(name, expected);
    }

    void has_no_private_members() {
        if (const auto name = private_member(object_)) note(quoted(*name) + " is part of a private key");
    }

private:
    const json::Object& object_;
    std::string problem_;
};

/// The members of each `kty`; `crv` selects within EC and OKP, and we have one curve in each.
struct Shape {
    std::string_view kty;
    crypto::PublicMembers (*read)(Entry&);
};
const std::array<Shape, 3> kShapes = {{
    {"RSA",
     [](Entry& entry) -> crypto::PublicMembers {
         return crypto::RsaPublic{entry.bytes("n"), entry.bytes("e")};
     }},
    {"EC",
     [](Entry& entry) -> crypto::PublicMembers {
         entry.is("crv", "P-256");
         return crypto::EcPublic{entry.bytes("x"), entry.bytes("y")};
     }},
    {"OKP",
     [](Entry& entry) -> crypto::PublicMembers {
         entry.is("crv", "Ed25519");
         return crypto::OkpPublic{entry.bytes("x")};
     }},
}};

std::optional<crypto::PublicMembers> read_members(Entry& entry) {
    const std::string kty = entry.text("kty");
    const auto shape =
        std::find_if(kShapes.begin(), kShapes.end(), [&kty](const Shape& known) { return known.kty == kty; });
    if (shape == kShapes.end()) {
        entry.note("\"kty\" is not RSA, EC or OKP");
        return std::nullopt;
    }
    return shape->read(entry);
}

}  // namespace

std::optional<std::string_view> private_member(const json::Object& key) {
    // RFC 7518 §6.2.2, §6.3.2, §6.4
    for (const std::string_view name : {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}) {
        if (key.find(name) != nullptr) return name;
    }
    return std::nullopt;
}

json::Object to_json(const crypto::PublicMembers& members) {
    json::Object out;
    for (auto& [name, value] : required_members(members)) out.set(name, value);
    return out;
}

std::string thumbprint(const crypto::PublicMembers& members) {
    return util::base64url_encode(crypto::sha256(json::write(to_json(members))));
}

std::string thumbprint(const crypto::PublicKey& key) { return thumbprint(key.members()); }

json::Object to_json(const Jwk& jwk) {
    const Members required = required_members(jwk.key.members());
    json::Object out;
    for (const auto& [name, value] : required) {
        if (name == "kty") out.set(name, value);
    }
    out.set("use", "sig");
    out.set("alg", crypto::to_string(jwk.key.algorithm()));
    out.set("kid", jwk.kid);
    for (const auto& [name, value] : required) out.set(name, value);
    return out;
}

util::Result<Jwk, std::string> parse_jwk(const json::Value& value) {
    const json::Object* object = value.if_object();
    if (object == nullptr) return std::string("the key is not an object");

    Entry entry(*object);
    entry.has_no_private_members();
    entry.is_if_present("use", "sig");  // RFC 7517 §4.2
    std::string kid = entry.text("kid");
    const auto members = read_members(entry);
    if (!members || !entry.problem().empty()) return entry.problem();
    try {
        const json::Value* alg = object->find("alg");
        const std::string* name = alg != nullptr ? alg->if_string() : nullptr;
        const auto marked = name != nullptr ? crypto::parse_algorithm(*name) : std::nullopt;
        Jwk jwk{std::move(kid), crypto::PublicKey::from_members(*members, marked)};
        entry.is_if_present("alg", crypto::to_string(jwk.key.algorithm()));  // RFC 7517 §4.4
        if (!entry.problem().empty()) return entry.problem();
        return jwk;
    } catch (const crypto::CryptoError& error) {
        return std::string(error.what());
    }
}

json::Object to_json(const JwkSet& set) {
    return {{"keys", json::array_of(set, [](const Jwk& jwk) { return to_json(jwk); })}};
}

util::Result<JwkSet, std::string> parse_jwk_set(std::string_view text) {
    const auto value = json::parse(text);
    if (!value) return "line " + std::to_string(value.error().line) + ": " + value.error().reason;
    const json::Object* object = value->if_object();
    const json::Value* keys = object != nullptr ? object->find("keys") : nullptr;
    if (keys == nullptr || keys->if_array() == nullptr) return std::string("there is no array \"keys\"");

    JwkSet set;
    for (const json::Value& entry : *keys->if_array()) {
        const std::string where = "key " + std::to_string(set.size() + 1) + ": ";
        auto jwk = parse_jwk(entry);
        if (!jwk) return where + jwk.error();
        // RFC 7517 §4.5: distinct keys, distinct kids; here the kid alone selects the key.
        if (std::any_of(set.begin(), set.end(), [&jwk](const Jwk& other) { return other.kid == jwk->kid; })) {
            return where + "its \"kid\" is used twice";
        }
        set.push_back(std::move(*jwk));
    }
    return set;
}

}  // namespace postern::jose
