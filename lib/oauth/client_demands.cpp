// Decides whether a client gets what its registration demands, and whether its requests are what it demands.
#include "oauth/client_demands.h"

#include "refusal/reason.h"

namespace postern::oauth {

using refusal::Reason;

Outcome<void> check_demands(const Settings& settings, const model::Client& client) {
    if (!client.require_par || settings.paths.par) return {};
    return make_error(Reason::unauthorized_client_demand_off, "this server does not offer what the client demands",
                      "the client demands pushed requests, and paths.par is null");
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
