// Decides which key a request shows, and whether its proof was used before.
#include "oauth/dpop.h"

#include <utility>

#include "oauth/single_use.h"
#include "refusal/reason.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

constexpr const char* kNotValid = "the DPoP proof is not valid";
constexpr SingleUse kSingleUse = {
    audit::Event::proof_replayed,
    Reason::invalid_dpop_proof_replayed,
    kNotValid,
    "DPoP: its \"jti\" was used before",
    Reason::temporarily_unavailable_proofs,
    "too many DPoP proofs were sent",
    "a quarter of the marks that replays.maxSize allows are of this sender",
};

}  // namespace

Outcome<ShownKey> read_proof(const Context& context, const http::Request& request, const std::string& path,
                             std::optional<std::string> access_token) {
    const Settings& settings = context.settings;
    const std::string_view header = settings.dpop ? request.variable(kProofVariable) : std::string_view();
    if (header.empty()) return ShownKey();
    const std::string url = settings.url(path);
    auto good = check_proof(header, {std::string(to_string(request.method)), settings.urls(path), settings.dpop_max_age,
                                     settings.clock_skew, context.now(), std::move(access_token)});
    if (!good)
        return make_error(good.error().is_of_clocks ? Reason::invalid_dpop_proof_time : Reason::invalid_dpop_proof,
                          kNotValid, "DPoP: " + good.error().detail);
    return ShownKey(ShownProof{*std::move(good), url});
}

Outcome<void> use_proof(Context& context, store::ReplayKind kind, const ShownProof& proof, std::string_view sender,
                        const model::ClientId& client) {
    const auto mark = store::mark_of({sender, proof.good.jkt, proof.url, proof.good.jti, proof.good.until});
    return use_once(context, *context.proofs, kind, mark, client, kSingleUse);
}

Outcome<std::optional<std::string>> parse_dpop_jkt(const Settings& settings, const http::Params& params) {
    if (!settings.dpop) return std::optional<std::string>();
    if (params.fault_of("dpop_jkt")) return invalid_parameter("dpop_jkt");
    const auto jkt = params.find("dpop_jkt");
    if (!jkt) return std::optional<std::string>();
    if (!is_thumbprint(*jkt)) return invalid_request("dpop_jkt must be a SHA-256 thumbprint in base64url");
    return std::optional(std::string(*jkt));
}

}  // namespace postern::oauth
