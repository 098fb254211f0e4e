// The keys of a configuration: their table, the readers of lists and objects, and the checks that concern several keys.
// A reader puts a value into the configuration, or returns the problems of its items.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/checks.h"
#include "json/value.h"

namespace postern::config {

/// `authorizeMethods`: ["GET"] or ["GET", "POST"].
Problems read_authorize_methods(Config& config, const json::Value& value);
/// `trustedProxies`: IP addresses.
Problems read_trusted_proxies(Config& config, const json::Value& value);
/// `authorizationVariables`: 1 to 8 CGI variables.
Problems read_authorization_variables(Config& config, const json::Value& value);
/// `scopeDescriptions`: {"wiki": "Edit pages"} or {"wiki": {"": "Edit pages", "de": "Seiten bearbeiten"}}, each one
/// line of 1 to 256 bytes.
Problems read_scope_descriptions(Config& config, const json::Value& value);
/// `languages`: tags, each once.
Problems read_languages(Config& config, const json::Value& value);
/// `scopeClaims`: {"wiki": ["wiki_role"]}, 1 to 64 claims for each scope of the operator's own.
Problems read_scope_claims(Config& config, const json::Value& value);
/// `login.acrNames`: {"urn:example:strong": 2}, at most 32 names of levels 1 to 3.
Problems read_acr_names(Config& config, const json::Value& value);
/// `login.claimsFromEnvironment`: {"email": "AUTHENTICATE_MAIL"}, claims and the CGI variables that hold them.
Problems read_claims_from_environment(Config& config, const json::Value& value);
/// `account.editableClaims`: standard claims, each once, that a user can type and may vouch for alone.
Problems read_editable_claims(Config& config, const json::Value& value);
/// `clientDocuments.allow` and `.deny`: at most 256 hosts, or "*." and the end of hosts.
Apply read_hosts(std::vector<std::string> oauth::ClientDocuments::*member);
/// `registration.hosts`: the same.
Problems read_registration_hosts(Config& config, const json::Value& value);
/// `registration.grants`: names of grants.
Problems read_registration_grants(Config& config, const json::Value& value);
/// `outbound.ports`: 1 to 16 TCP ports.
Problems read_ports(Config& config, const json::Value& value);
/// `outbound.allow`: at most 64 networks.
Problems read_allowed_networks(Config& config, const json::Value& value);
/// `gate.proxies`: at most 64 networks.
Problems read_gate_proxies(Config& config, const json::Value& value);
/// `metadata`: members of discovery that the server does not compute.
Problems read_metadata(Config& config, const json::Value& value);

/// `login.saslauthd`: {"socket": "/run/saslauthd/mux", "service": "postern", "realm": ""}; each may be left out.
Problems read_saslauthd(Config& config, const json::Value& value);
/// `login.groupsFromEnvironment`: {"variable": "MEMBER_OF", "separator": ";", "groups": {"cn=wiki": "wiki"}}, a CGI
/// variable, and the groups that its values stand for; or null, as if the key were not there.
Problems read_groups_from_environment(Config& config, const json::Value& value);
/// `mail`: {"from": "Example <id@example.org>", "command": ["/usr/sbin/sendmail", "-t", "-i"], "perHour": 200}, of
/// which the last may be left out; or null, as if the key were not there.
Problems read_mail(Config& config, const json::Value& value);

/// `mtls`: {"baseUrl": "https://mtls.id.example.org", "ca": "/etc/postern/clients-ca.pem", "certificate":
/// "SSL_CLIENT_CERT", "verify": "SSL_CLIENT_VERIFY"}, of which only the first is required; or null.
Problems read_mtls(Config& config, const json::Value& value);

/// `implicit`: true for the response types code and token.
Problems read_implicit(Config& config, const json::Value& value);
/// `responseTypes`: 1 to 7 response types, each once.
Problems read_response_types(Config& config, const json::Value& value);
/// `accessTokenAlgorithm`.
Problems read_access_token_algorithm(Config& config, const json::Value& value);
/// `idTokenAlgorithm`: the only one of ID tokens.
Problems read_id_token_algorithm(Config& config, const json::Value& value);
/// `idTokenAlgorithms`: 1 to 4, each once, the default first.
Problems read_id_token_algorithms(Config& config, const json::Value& value);

struct ConfigKey {
    std::string name;  ///< "login.window": a member of the object `login`
    Apply apply;
};

const std::vector<ConfigKey>& config_keys();

/// Adds a problem for each key that contradicts another, and fills in what follows from other keys where a key is left
/// out: `login.rpId` and `login.saslauthd`.
void check_contradictions(Config& config, Problems& problems);

/// Adds a problem for each key that contradicts `profile`, and for each that a client with it would need.
void check_profile(const oauth::Settings& settings, Problems& problems);

/// Returns a sentence for each setting that is allowed and not wise.
std::vector<std::string> warnings_of(const Config& config);

/// One line of 1 to 64 characters, as it would be shown.
Fault brand_name_fault(std::string_view name);
/// "#rrggbb".
Fault color_fault(std::string_view color);
/// An https URL, or mailto with one address.
Fault help_fault(std::string_view help);

/// `branding.links`: [{"text": {"": "Imprint", "de": "Impressum"}, "url": "https://example.org/imprint"}], up to 5.
Problems read_brand_links(Config& config, const json::Value& value);

/// Adds a problem for each key that needs another one, and for a colour that cannot be told from the page: below 3 : 1
/// (WCAG 2.2, 1.4.11).
void check_branding(const pages::Branding& branding, Problems& problems);

}  // namespace postern::config
