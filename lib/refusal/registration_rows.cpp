// Clients that register themselves: RFC 7591, RFC 7592.
#include "refusal/rows.h"

namespace postern::refusal {
namespace {

using enum Reason;

constexpr Row kRows[] = {
    {invalid_token_initial, "invalid_token_initial", invalid_token,
     "A client may register with an initial access token, and sent none, or one that is unknown, used up, expired or removed. "
     "`postern registration token list` lists the tokens, `postern registration token add` makes one. If the program "
     "did send a good one, see whether the web server passes the Authorization header on."},
    {invalid_token_registration, "invalid_token_registration", invalid_token,
     "A client reads or deletes its registration with the token that the answer to its registration had, at the address there. "
     "The client may have been removed since: `postern client show {client}`. It can register again."},
    {access_denied_registration_disabled, "access_denied_registration_disabled", access_denied,
     "`postern client disable` was run for the client, or it registered without an initial access token and registration.mode is "
     "not \"open\" any more. `postern client enable {client}` lets it go on in the first case."},
    {invalid_redirect_uri, "invalid_redirect_uri", invalid_redirect_uri,
     "The program must register another redirect URI; the detail names the rule. `postern client add` has the same rules."},
    {invalid_redirect_uri_of_stranger, "invalid_redirect_uri_of_stranger", invalid_redirect_uri,
     "Programs that register without an initial access token may use a loopback address or a private-use scheme with a dot. If "
     "you trust who runs the host, add it to registration.hosts; or give the program an initial access token: `postern "
     "registration token add`."},
    {invalid_client_metadata, "invalid_client_metadata", invalid_client_metadata,
     "The program must change what it registers; the description names the member. Or register it yourself with `postern client "
     "add`."},
    {invalid_client_metadata_not_offered, "invalid_client_metadata_not_offered", invalid_client_metadata,
     "The program demands protection or a way to authenticate that this server does not have, and would get less without knowing "
     "it. Select another one in the program, or register it yourself with `postern client add`."},
    {temporarily_unavailable_registrations, "temporarily_unavailable_registrations", temporarily_unavailable,
     "Without an initial access token one address may register 10 clients an hour, and a /48 of IPv6 100. Behind a proxy that "
     "trustedProxies does not name, all requests come from one address. A program that registers at each start should keep its "
     "client_id, or have an initial access token."},
    {temporarily_unavailable_registration_max, "temporarily_unavailable_registration_max", temporarily_unavailable,
     "registration.max clients have registered without an initial access token, and users have approved all of them, or they "
     "registered in the last ten minutes. `postern client list --origin dynamic` shows them, `postern client remove --unused-for "
     "SECONDS` removes those that are not used. Raise registration.max, or set registration.mode to \"token\"."},
};

}  // namespace

constinit const std::span<const Row> kRegistrationRows = kRows;

}  // namespace postern::refusal
