// Applies the options about FAPI 2.0 and the protections that it consists of.
#include "cli/client/protection.h"

#include "cli/command.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using model::Client;

void apply_profile(const ProtectionOptions& options, Client& client) {
    refuse_undone(options.profile.has_value(), options.no_profile, "profile");
    if (options.no_profile) client.security_profile = model::SecurityProfile::none;
    if (!options.profile) return;
    client.security_profile = *model::parse_security_profile(*options.profile);
    client.pkce = model::Pkce::required;  // unless --pkce says what oauth/registration refuses then
}

void apply_resource_server(const ProtectionOptions& options, Client& client) {
    refuse_undone(options.resource_server.has_value(), options.no_resource_server, "resource-server");
    if (options.no_resource_server) client.resource_server.clear();
    if (options.resource_server) client.resource_server = util::trim(*options.resource_server);
}

void apply_signed_requests(const ProtectionOptions& options, Client& client) {
    refuse_undone(options.request_object_alg.has_value(), options.no_request_object_alg, "request-object-signing-alg");
    if (options.require_signed_request) client.require_signed_request = *options.require_signed_request;
    if (options.no_request_object_alg) client.request_object_alg.clear();
    if (options.request_object_alg) client.request_object_alg = *options.request_object_alg;
}

}  // namespace

void add_protection_options(const Command& command, ProtectionOptions& options) {
    command.option("--pkce", "WHEN", options.pkce, "required or optional (default: optional for clients with a secret)")
        .one_of({"required", "optional"});
    command.flag(
        "--require-pushed-authorization-requests", options.require_par, true,
        "Refuse its authorization requests unless it has pushed them; needs \"paths.par\" in the configuration");
    command.flag("--dpop-bound-access-tokens", options.dpop_bound, true,
                 "Refuse its token requests without a DPoP proof, so that each token is bound to a key of it; needs "
                 "\"dpop\" in the configuration");
    command
        .option("--profile", "PROFILE", options.profile,
                "fapi2 or fapi2-message-signing: hold the client to FAPI 2.0, whose Security Profile wants "
                "an --auth-method with keys or certificates, bound tokens, pushed requests and PKCE")
        .one_of({"fapi2", "fapi2-message-signing"});
    command.option("--resource-server", "URI", options.resource_server,
                   "It is the API of this registered resource, and learns at introspection of tokens for it that "
                   "clients with a profile have");
    command.flag("--require-signed-request-object", options.require_signed_request, true,
                 "Refuse its authorization requests unless it has signed and pushed them; needs \"requestObjects\" in "
                 "the configuration and keys of the client");
    command
        .option("--request-object-signing-alg", "ALG", options.request_object_alg,
                "The only algorithm that it may sign requests with (default: any that fits one of its keys)")
        .one_of({"ES256", "PS256", "EdDSA", "Ed25519", "RS256"});
}

void add_protection_set_options(const Command& command, ProtectionOptions& options) {
    command.flag("--no-require-pushed-authorization-requests", options.require_par, false,
                 "Undo --require-pushed-authorization-requests");
    command.flag("--no-dpop-bound-access-tokens", options.dpop_bound, false, "Undo --dpop-bound-access-tokens");
    command.flag("--no-profile", options.no_profile, "Undo --profile; PKCE stays required");
    command.flag("--no-resource-server", options.no_resource_server, "Undo --resource-server");
    command.flag("--no-require-signed-request-object", options.require_signed_request, false,
                 "Undo --require-signed-request-object");
    command.flag("--no-request-object-signing-alg", options.no_request_object_alg, "Undo --request-object-signing-alg");
}

void apply(const ProtectionOptions& options, Client& client) {
    apply_profile(options, client);
    apply_resource_server(options, client);
    if (options.pkce) client.pkce = *model::parse_pkce(*options.pkce);
    if (options.require_par) client.require_par = *options.require_par;
    if (options.dpop_bound) client.dpop_bound = *options.dpop_bound;
    apply_signed_requests(options, client);
}

}  // namespace postern::cli
