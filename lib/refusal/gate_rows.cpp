// The gate: what web servers ask, and whom applications are told.
#include "refusal/rows.h"

namespace postern::refusal {
namespace {

using enum Reason;

constexpr Row kRows[] = {
    {gate_question_refused, "gate_question_refused", gate_question_refused,
     "A web server asked the gate in a way that it does not answer; the detail says what is missing. Compare the configuration of "
     "the site with the file that is shipped for this web server. A proxy that asks over HTTP has to be in gate.proxies."},
    {gate_no_site, "gate_no_site", gate_no_site,
     "The web server asks about a URL that no enabled site has. `postern site list` shows the URLs and which sites are disabled; "
     "scheme, host and port have to be those of POSTERN_GATE_SITE, or of X-Forwarded-Proto and X-Forwarded-Host."},
    {gate_path_refused, "gate_path_refused", gate_path_refused,
     "The path of the request can be read in several ways, which lead to different sites or above the root, or it has characters "
     "that no path has. No browser writes such a path by itself; if the application does, let it write a plain one."},
    {gate_route_missing, "gate_route_missing", gate_route_missing,
     "The web server asked whether an address below .postern/ may be seen, which is the gate's own. Add the route of the shipped "
     "file that leads these addresses to the gate, outside of the check."},
    {gate_cookie_forged, "gate_cookie_forged", gate_cookie_forged,
     "A cookie of the site's name came that this server did not make: cut, forged, or from before "
     "`postern key rotate --seal`. The browser gets a new one when its user signs in."},
    {gate_user_untold, "gate_user_untold", gate_user_untold,
     "The user may use the site, but the application cannot be told who the user is, for the reason in the detail. `postern site set "
     "--user-header` chooses another name for users; an e-mail address has to be verified."},
    {gate_form_lost, "gate_form_lost", gate_form_lost,
     "A user sent a form to the application and was not signed in any more, so the form did not reach it. Where this happens often, "
     "raise sessionIdleTTL, or `postern site set` with a longer --session-ttl."},
};

}  // namespace

constinit const std::span<const Row> kGateRows = kRows;

}  // namespace postern::refusal
