// Decides whether this server has signed a token, and as which kind (RFC 7515 §5.2, §7.1; RFC 8725 §3).
#include "jose/jws.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "crypto/digest.h"
#include "json/reader.h"
#include "util/base64.h"
#include "util/text.h"

namespace postern::jose {

namespace {

/// A digest is uniformly distributed, so its first two bytes are enough.
std::size_t beginning_of(const std::string& digest) {
    return static_cast<unsigned char>(digest[0]) * 256U + static_cast<unsigned char>(digest[1]);
}

struct Type {
    TokenType type;
    std::string_view typ;
    bool is_taken = true;  ///< by an endpoint; a Verifier does not know the header of another one
};
/// Values are compared as bytes; "application/at+jwt" (RFC 7515 §4.1.9) or other capitals are not what we write.
constexpr std::array<Type, 5> kTypes = {{
    {TokenType::access_token, "at+jwt"},
    {TokenType::refresh_token, "rt+jwt"},
    {TokenType::id_token, "JWT"},
    {TokenType::authorization_response, "", false},
    {TokenType::logout_token, "logout+jwt", false},
}};

/// The parts of a token as they were sent; `signed_text` is what the signature covers (RFC 7515 §5.1).
struct Segments {
    std::string_view header;
    std::string_view payload;
    std::string_view signature;
    std::string_view signed_text;

    bool are_base64url() const {
        return std::ranges::all_of(std::array{header, payload, signature}, [](std::string_view segment) {
            return !segment.empty() && util::is_base64url(segment);
        });
    }
};

std::optional<Segments> split_token(std::string_view token) {
    if (token.size() > kMaxTokenBytes) return std::nullopt;  // before anything walks over it
    const std::size_t first = token.find('.');
    if (first == std::string_view::npos) return std::nullopt;
    const std::size_t second = token.find('.', first + 1);
    if (second == std::string_view::npos) return std::nullopt;

    // A third dot is outside the alphabet and so found with the signature.
    return Segments{token.substr(0, first), token.substr(first + 1, second - first - 1), token.substr(second + 1),
                    token.substr(0, second)};
}

/// Returns nullptr for text that is not a JSON object in the one spelling of base64url.
Claims read_claims(std::string_view payload) {
    const auto text = util::base64url_decode(payload);
    if (!text) return nullptr;
    auto value = json::parse(*text);
    json::Object* object = value ? value->if_object() : nullptr;
    return object ? std::make_shared<const json::Object>(std::move(*object)) : nullptr;
}

}  // namespace

const Claims* VerifiedTokenCache::find(const std::string& digest) const {
    if (slots_.empty()) return nullptr;
    const Entry& entry = slots_[beginning_of(digest) % kSlots];
    return entry.digest == digest ? &entry.claims : nullptr;
}

const Claims& VerifiedTokenCache::add(const std::string& digest, Claims claims) {
    slots_.resize(kSlots);
    return (slots_[beginning_of(digest) % kSlots] = {digest, std::move(claims)}).claims;
}

std::string_view typ_of(TokenType type) {
    const auto found =
        std::find_if(kTypes.begin(), kTypes.end(), [type](const Type& known) { return known.type == type; });
    return found->typ;
}

std::string encode_header(crypto::Algorithm algorithm, TokenType type, std::string_view kid) {
    std::string header = R"({"alg":")";
    header.append(crypto::to_string(algorithm));
    if (const std::string_view typ = typ_of(type); !typ.empty()) header.append(R"(","typ":")").append(typ);
    header.append(R"(","kid":)");
    util::append_json_string(header, kid);
    return util::base64url_encode(header += '}');
}

std::string sign_compact(const crypto::PrivateKey& key, std::string_view kid, TokenType type,
                         std::string_view payload) {
    std::string token = encode_header(key.algorithm(), type, kid) + '.' + util::base64url_encode(payload);
    const std::string signature = key.sign(token);
    return token + '.' + util::base64url_encode(signature);
}

Verifier::Verifier(const JwkSet& keys) : keys_(keys) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        for (const Type& known : kTypes) {
            if (!known.is_taken) continue;
            headers_.emplace(encode_header(keys_[i].key.algorithm(), known.type, keys_[i].kid), Known{known.type, i});
        }
    }
}

std::optional<TokenType> Verifier::type_of(std::string_view token) const {
    const auto known = headers_.find(token.substr(0, token.find('.')));
    return known == headers_.end() ? std::nullopt : std::optional(known->second.type);
}

util::Result<VerifiedJws, JwtFault> Verifier::verify(std::string_view token, TokenType wanted) {
    const auto segments = split_token(token);
    if (!segments) return JwtFault::malformed;
    auto digest = crypto::sha256(token);
    const Claims* claims = verified_.find(digest);
    if (claims == nullptr && !segments->are_base64url()) return JwtFault::malformed;

    const auto known = headers_.find(segments->header);
    if (known == headers_.end()) return JwtFault::unknown_header;
    if (known->second.type != wanted) return JwtFault::wrong_type;

    const Jwk& jwk = keys_[known->second.key];
    if (claims == nullptr) {
        // Strict: two spellings of one signature would be two tokens to a cache or a revocation list.
        const auto signature = util::base64url_decode(segments->signature);
        if (!signature) return JwtFault::malformed;
        if (!jwk.key.verify(segments->signed_text, *signature)) return JwtFault::bad_signature;
        claims = &verified_.add(digest, read_claims(segments->payload));
    }
    return VerifiedJws{jwk.kid, *claims, std::move(digest)};
}

std::string Verifier::note_signed(std::string_view token, json::Object claims) {
    auto digest = crypto::sha256(token);
    verified_.add(digest, std::make_shared<const json::Object>(std::move(claims)));
    return digest;
}

}  // namespace postern::jose
