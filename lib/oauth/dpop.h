// Proofs at the endpoints: which key a request shows that it has, and each proof once (RFC 9449 §5, §7, §10, §11.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "model/ids.h"
#include "oauth/context.h"
#include "oauth/dpop_proof.h"
#include "oauth/error.h"
#include "store/replays.h"

namespace postern::oauth {

/// The header as a CGI variable. An endpoint that reads proofs names it while `dpop` is on.
inline constexpr const char* kProofVariable = "HTTP_DPOP";

/// The `alg` values that a proof may have, as challenges list them (§7.1).
inline constexpr std::string_view kProofAlgorithms = "ES256 PS256 EdDSA Ed25519";

/// A proof that is good for its request. Its use is not marked.
struct ShownProof {
    GoodProof good;
    std::string url;  ///< of the endpoint that it was shown to
};
using ShownKey = std::optional<ShownProof>;

/// Returns the thumbprint of the key; "": none was shown.
inline std::string jkt_of(const ShownKey& key) { return key ? key->good.jkt : std::string(); }

/// Judges the proof of a request to the endpoint at `path`. nullopt: none came, or `dpop` is off. invalid_dpop_proof.
/// `access_token`: the one beside it (§7), which it must have the digest of.
Outcome<ShownKey> read_proof(const Context& context, const http::Request& request, const std::string& path,
                             std::optional<std::string> access_token = std::nullopt);

/// Marks the proof as used: invalid_dpop_proof when it was used before. `sender` is who has the share of the marks that
/// it takes. Throws StoreError when the use cannot be remembered.
Outcome<void> use_proof(Context& context, store::ReplayKind kind, const ShownProof& proof, std::string_view sender,
                        const model::ClientId& client);

/// Reads `dpop_jkt` of an authorization request (§10). nullopt: it is absent, or `dpop` is off.
Outcome<std::optional<std::string>> parse_dpop_jkt(const Settings& settings, const http::Params& params);

}  // namespace postern::oauth
