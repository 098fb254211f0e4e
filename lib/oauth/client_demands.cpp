// Decides whether a client gets what its registration demands, and whether its requests are what it demands.
#include "oauth/client_demands.h"

#include <algorithm>

#include "model/response_mode.h"
#include "refusal/reason.h"

namespace postern::oauth {

using refusal::Reason;

bool demands_signed_answers(const model::Client& client) {
    return !client.response_modes.empty() && std::ranges::all_of(client.response_modes, [](const std::string& name) {
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
    if (demands_signed_answers(client) && !settings.jarm)
        return make_error(Reason::unauthorized_client_demand_off, kNotOffered,
                          "the client takes signed answers alone, and jarm is false");
    if (client.dpop_bound && !settings.dpop)
        return make_error(Reason::unauthorized_client_demand_off, kNotOffered,
                          "the client demands tokens that are bound to its key, and dpop is \"off\"");
    if (client.tls_bound && !settings.mtls)
        return make_error(Reason::unauthorized_client_demand_off, kNotOffered,
                          "the client demands tokens that are bound to its certificate, and mtls is not configured");
    return {};
}

Outcome<void> check_may_be_direct(const Settings& settings, const model::Client& client) {
    RETURN_IF_ERROR(check_demands(settings, client));
    const bool must_be_pushed = client.require_par || settings.require_par;
    if (!must_be_pushed || client.site) return {};  // the gate's requests begin here
    return make_error(Reason::invalid_request_not_pushed, "the request must be pushed",
                      client.require_par ? "the client is registered with require_pushed_authorization_requests"
                                         : "requirePar is true");
}

}  // namespace postern::oauth
