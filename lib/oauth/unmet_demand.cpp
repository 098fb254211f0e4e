// Finds demands in client metadata that this server cannot meet.
#include "oauth/unmet_demand.h"

#include <array>

namespace postern::oauth {

std::optional<UnmetDemand> find_unmet_demand(const json::Object& metadata) {
    constexpr std::array kDemands = {"require_pushed_authorization_requests", "dpop_bound_access_tokens",
                                     "tls_client_certificate_bound_access_tokens", "require_signed_request_object"};
    for (const char* member : kDemands) {
        const json::Value* value = metadata.find(member);
        if (value == nullptr) continue;
        const bool* demanded = value->if_bool();
        if (demanded == nullptr || *demanded) return UnmetDemand{member, "demands what this server does not offer"};
    }
    for (const auto& [member, value] : metadata.members()) {
        if (member == "id_token_signed_response_alg") continue;
        if (member.find("_encrypted_") != member.npos)
            return UnmetDemand{member, "demands encryption, which this server does not offer"};
        if (member.ends_with("_signed_response_alg"))
            return UnmetDemand{member, "demands a signature that this server does not make"};
    }
    return std::nullopt;
}

}  // namespace postern::oauth
