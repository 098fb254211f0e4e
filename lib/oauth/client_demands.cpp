// Decides whether a client gets what its registration demands, and whether its requests are what it demands.
#include "oauth/client_demands.h"

#include <algorithm>
#include <span>
#include <utility>

#include "model/response_mode.h"
#include "oauth/client_profile.h"
#include "refusal/reason.h"

namespace postern::oauth {

using refusal::Reason;

namespace {

/// F2-S2. The configuration may have changed since the registration was saved.
Outcome<void> check_profile(const Settings& settings, const model::Client& client) {
    const auto problems = profile_problems(client, settings);
    if (problems.empty()) return {};
    return make_error(Reason::unauthorized_client_profile, "the client does not fit its profile", problems.front());
}

constexpr const char* kRegisteredForSigned = "the client is registered with require_signed_request_object";
constexpr const char* kAllSign = "requireSignedRequestObject is true";

/// Refuses what one of the demands forbids; the detail is that of the first one that is there.
Outcome<void> refuse_first(std::span<const std::pair<bool, const char*>> demands, Reason reason,
                           const char* description) {
    for (const auto& [is_there, detail] : demands)
        if (is_there) return make_error(reason, description, detail);
    return {};
}

}  // namespace

bool demands_signed_answers(const Settings& settings, const model::Client& client) {
    const auto modes = response_modes_of(settings, client);
    return !modes.empty() && std::ranges::all_of(modes, [](const std::string& name) {
        return model::is_signed(model::find_mode(name)->mode);
    });
}

bool can_push(const Settings& settings, model::ClientType type) {
    return settings.paths.par && (type == model::ClientType::confidential || settings.par_public_clients);
}

Outcome<void> check_demands(const Settings& settings, const model::Client& client) {
    constexpr const char* kNotOffered = "this server does not offer what the client demands";
    if (client.require_par && !can_push(settings, client.type))
        return make_error(Reason::unauthorized_client_demand_off, kNotOffered,
                          settings.paths.par ? "the client demands pushed requests, and par.publicClients is false"
                                             : "the client demands pushed requests, and paths.par is null");
    if (demands_signed_answers(settings, client) && !settings.jarm)
        return make_error(Reason::unauthorized_client_demand_off, kNotOffered,
                          "the client takes signed answers alone, and jarm is false");
    if (client.dpop_bound && !settings.dpop)
        return make_error(Reason::unauthorized_client_demand_off, kNotOffered,
                          "the client demands tokens that are bound to its key, and dpop is \"off\"");
    if (client.tls_bound && !settings.mtls)
        return make_error(Reason::unauthorized_client_demand_off, kNotOffered,
                          "the client demands tokens that are bound to its certificate, and mtls is not configured");
    if (client.require_signed_request && !settings.request_objects)
        return make_error(Reason::unauthorized_client_demand_off, kNotOffered,
                          "the client demands signed requests, and requestObjects is \"off\"");
    return check_profile(settings, client);
}

bool pushes_all(const Settings& settings) {
    return settings.require_par || settings.require_signed_request_object || is_held_to_profile(settings);
}

bool signs_all(const Settings& settings) {
    return settings.require_signed_request_object ||
           settings.security_profile == model::SecurityProfile::fapi2_message_signing;
}

Outcome<void> check_is_signed(const Settings& settings, const model::Client& client, bool is_signed) {
    if (is_signed) return {};
    const std::pair<bool, const char*> demands[] = {
        {client.require_signed_request, kRegisteredForSigned},
        {signs_messages(settings, client), "the client has the profile fapi2-message-signing"},
        {settings.require_signed_request_object, kAllSign},
    };
    return refuse_first(demands, Reason::invalid_request_not_signed, "the request must be signed");
}

Outcome<void> check_redirect_is_sent(const Settings& settings, const model::Client& client, bool is_sent) {
    if (is_sent || !has_security_profile(settings, client)) return {};
    return invalid_request("redirect_uri is missing", "profile fapi2 wants it in each pushed request");
}

Outcome<void> check_may_be_direct(const Settings& settings, const model::Client& client) {
    RETURN_IF_ERROR(check_demands(settings, client));
    if (client.site) return {};  // the gate's requests begin here
    const std::pair<bool, const char*> demands[] = {
        {client.require_par, "the client is registered with require_pushed_authorization_requests"},
        {client.require_signed_request, kRegisteredForSigned},
        {has_security_profile(settings, client), "the client has the profile fapi2"},
        {settings.require_par, "requirePar is true"},
        {settings.require_signed_request_object, kAllSign},
    };
    return refuse_first(demands, Reason::invalid_request_not_pushed, "the request must be pushed");
}

}  // namespace postern::oauth
