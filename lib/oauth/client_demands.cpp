// Decides whether a client gets what its registration demands, and whether its requests are what it demands.
#include "oauth/client_demands.h"

#include <algorithm>
#include <utility>

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
    if (client.require_signed_request && !settings.request_objects)
        return make_error(Reason::unauthorized_client_demand_off, kNotOffered,
                          "the client demands signed requests, and requestObjects is \"off\"");
    return {};
}

bool pushes_all(const Settings& settings) { return settings.require_par || settings.require_signed_request_object; }

Outcome<void> check_is_signed(const Settings& settings, const model::Client& client, bool is_signed) {
    if (is_signed || !(client.require_signed_request || settings.require_signed_request_object)) return {};
    return make_error(Reason::invalid_request_not_signed, "the request must be signed",
                      client.require_signed_request ? "the client is registered with require_signed_request_object"
                                                    : "requireSignedRequestObject is true");
}

Outcome<void> check_may_be_direct(const Settings& settings, const model::Client& client) {
    RETURN_IF_ERROR(check_demands(settings, client));
    if (client.site) return {};  // the gate's requests begin here
    const std::pair<bool, const char*> demands[] = {
        {client.require_par, "the client is registered with require_pushed_authorization_requests"},
        {client.require_signed_request, "the client is registered with require_signed_request_object"},
        {settings.require_par, "requirePar is true"},
        {settings.require_signed_request_object, "requireSignedRequestObject is true"},
    };
    for (const auto& [is_there, detail] : demands)
        if (is_there) return make_error(Reason::invalid_request_not_pushed, "the request must be pushed", detail);
    return {};
}

}  // namespace postern::oauth
