// Finds demands in client metadata that this server cannot meet.
#include "oauth/unmet_demand.h"

#include "oauth/client_demands.h"

namespace postern::oauth {
namespace {

struct Demand {
    const char* member;
    bool (*is_met)(const Settings&, model::ClientType);
};

constexpr auto kNever = [](const Settings&, model::ClientType) { return false; };
constexpr const char* kPushed = "require_pushed_authorization_requests";
constexpr const char* kBound = "dpop_bound_access_tokens";
constexpr const char* kSigned = "require_signed_request_object";
constexpr const char* kTlsBound = "tls_client_certificate_bound_access_tokens";

bool is_demanded(const json::Object& metadata, const char* member) {
    const json::Value* value = metadata.find(member);
    const bool* demanded = value == nullptr ? nullptr : value->if_bool();
    return demanded != nullptr && *demanded;
}

constexpr Demand kDemands[] = {
    {kPushed, can_push},
    {kBound, [](const Settings& settings, model::ClientType) { return settings.dpop; }},
    {kTlsBound, [](const Settings& settings, model::ClientType) { return settings.mtls.has_value(); }},
    // A client without a secret has no keys here.
    {kSigned,
     [](const Settings& settings, model::ClientType type) {
         return settings.request_objects && type == model::ClientType::confidential;
     }},
};

}  // namespace

std::optional<UnmetDemand> find_unmet_demand(const json::Object& metadata, const Settings& settings,
                                             model::ClientType type) {
    for (const auto& [member, is_met] : kDemands) {
        const json::Value* value = metadata.find(member);
        if (value == nullptr) continue;
        const bool* demanded = value->if_bool();
        if (demanded == nullptr || (*demanded && !is_met(settings, type)))
            return UnmetDemand{member, "demands what this server does not offer"};
    }
    for (const auto& [member, value] : metadata.members()) {
        if (member == "id_token_signed_response_alg" || member == "authorization_signed_response_alg") continue;
        if (member.find("_encrypted_") != member.npos)
            return UnmetDemand{member, "demands encryption, which this server does not offer"};
        if (member.ends_with("_signed_response_alg"))
            return UnmetDemand{member, "demands a signature that this server does not make"};
    }
    return std::nullopt;
}

std::set<std::string> offered_response_modes(const std::vector<std::string>& names, const Settings& settings) {
    std::set<std::string> offered;
    for (const std::string& name : names) {
        const model::NamedMode* mode = model::find_mode(name);
        if (mode != nullptr && (settings.jarm || !model::is_signed(mode->mode))) offered.insert(name);
    }
    return offered;
}

bool demands_pushed_requests(const json::Object& metadata) { return is_demanded(metadata, kPushed); }

bool demands_bound_tokens(const json::Object& metadata) { return is_demanded(metadata, kBound); }

bool demands_signed_requests(const json::Object& metadata) { return is_demanded(metadata, kSigned); }

bool demands_certificate(const json::Object& metadata) { return is_demanded(metadata, kTlsBound); }

}  // namespace postern::oauth
