// Which lists and objects the configuration accepts, and where they go.
#include "config/keys.h"

#include <algorithm>
#include <utility>

#include "gateway/address.h"
#include "gateway/variables.h"
#include "model/claim_names.h"
#include "model/scope.h"
#include "model/standard_claims.h"
#include "oauth/acr.h"
#include "oauth/client_id_url.h"
#include "oauth/scope_policy.h"
#include "oidc/discovery.h"
#include "text/language_tag.h"
#include "util/text.h"

namespace postern::config {
namespace {

constexpr std::size_t kLongestDescription = 256;
constexpr std::size_t kMostVariables = 8;
constexpr std::size_t kMostClaims = 64;
constexpr std::size_t kMostHosts = 256;
constexpr std::size_t kMostAcrNames = 32;
constexpr std::size_t kLongestAcrName = 255;
constexpr std::int64_t kHighestLevel = 3;
constexpr std::size_t kMostPorts = 16;
constexpr std::size_t kMostNetworks = 64;

/// The names that the levels have anyway.
constexpr std::string_view kOwnAcrNames[] = {oauth::kPasswordAcr, oauth::kSecondFactorAcr,
                                             oauth::kPhishingResistantAcr};

Fault scope_fault(const std::string& scope) {
    const auto parsed = model::Scope::parse(scope);
    if (!parsed || parsed->tokens().size() != 1) return "is not the name of a scope (RFC 6749 appendix A.4)";
    return std::nullopt;
}

Fault line_fault(const json::Value& value) {
    const std::string* line = value.if_string();
    if (line == nullptr) return "must be a string, or an object of strings by language tag";
    if (line->empty() || line->size() > kLongestDescription || util::has_control_bytes(*line))
        return "must be one line of 1 to 256 bytes";
    return std::nullopt;
}

/// A line, or lines by language tag with "" for every other language.
Fault description_fault(const std::string& scope, const json::Value& value) {
    if (Fault fault = scope_fault(scope)) return fault;
    if (value.if_object() == nullptr) return line_fault(value);
    if (value.if_object()->find("") == nullptr) return "must have a text for \"\", which is for every other language";
    for (const auto& [tag, line] : value.if_object()->members()) {
        if (!tag.empty() && !text::is_language_tag(tag)) return "\"" + tag + "\" is not a language tag";
        if (Fault fault = line_fault(line)) return fault;
    }
    return std::nullopt;
}

text::Words words_of(const json::Value& value) {
    if (value.if_string() != nullptr) return {*value.if_string()};
    std::map<std::string, std::string> lines;
    for (const auto& [tag, line] : value.if_object()->members()) lines[tag] = *line.if_string();
    return text::Words(std::move(lines));
}

/// `acr_values` is a list with blanks between (OpenID Connect Core §3.1.2.1), so a name has none.
Fault acr_name_fault(const std::string& name, const json::Value& value) {
    const auto is_visible = [](char c) { return c > ' ' && c <= '~'; };
    if (name.empty() || name.size() > kLongestAcrName || !std::ranges::all_of(name, is_visible))
        return "must be 1 to 255 printable ASCII characters without blanks";
    if (std::ranges::find(kOwnAcrNames, name) != std::end(kOwnAcrNames)) return "is a name that a level has anyway";
    const std::int64_t* level = value.if_integer();
    if (level == nullptr || *level < 1 || *level > kHighestLevel) return "must be a level: 1, 2 or 3";
    return std::nullopt;
}

/// Judges the claims of one scope as a whole.
Fault scope_claims_fault(const std::string& scope, const json::Value& value) {
    if (Fault fault = scope_fault(scope)) return fault;
    if (oauth::openid_scopes().contains(scope))
        return "is a scope of OpenID Connect, and people know what it releases: name a scope of your own";
    const json::Array* claims = value.if_array();
    if (claims == nullptr || claims->empty() || claims->size() > kMostClaims)
        return "must be a list of 1 to 64 names of claims";
    return std::nullopt;
}

Fault released_claim_fault(const json::Value& value) {
    const std::string* name = value.if_string();
    if (name == nullptr || !model::is_claim_name(*name))
        return "must be the name of a claim: 1 to 64 printable ASCII characters without space, quotation mark and "
               "backslash";
    if (model::is_protocol_claim(*name)) return "is set by the server itself: a user has no such claim";
    return std::nullopt;
}

constexpr std::pair<std::string_view, const char*> kNotEditable[] = {
    {"email_verified", "the user would vouch for the address"},
    {"phone_number_verified", "the user would vouch for the number"},
    {"address", "the page has no fields for it"},
    {"updated_at", "the server sets it"},
};

Fault variable_claim_fault(const std::string& claim, const json::Value& variable) {
    if (const Fault fault = environment_claim_fault(claim)) return fault;
    const std::string* name = variable.if_string();
    return name == nullptr ? Fault("must be a string, the name of a CGI variable") : variable_fault(*name);
}

Fault authorization_fault(const std::string* name) {
    return name == nullptr ? Fault("must be a string") : gateway::authorization_variable_fault(*name);
}

Fault tag_fault(const std::string* tag) { return language_fault(tag == nullptr ? std::string_view() : *tag); }

Fault editable_claim_fault(const std::string* name) {
    if (name == nullptr || !model::scope_of_claim(*name)) return "must be a claim of OpenID Connect Core 5.1";
    for (const auto& [claim, reason] : kNotEditable)
        if (claim == *name) return "must not be \"" + *name + "\": " + reason;
    return std::nullopt;
}

/// Reads a list of names, of which `check` accepts each and none comes twice; it gets nullptr for an item of another
/// type.
Problems read_names(const json::Array& list, Fault (*check)(const std::string*), std::vector<std::string>& names) {
    names.clear();
    return read_each(list, [&](const json::Value& item) {
        const std::string* name = item.if_string();
        Fault fault = check(name);
        if (!fault && std::ranges::find(names, *name) != names.end()) fault = "must not be named twice";
        if (!fault) names.push_back(*name);
        return fault;
    });
}

/// `clientDocuments.allow`, and others like it.
Problems read_host_patterns(const json::Value& value, std::vector<std::string>& hosts) {
    const json::Array* items = value.if_array();
    if (items == nullptr || items->size() > kMostHosts) return wrong("must be a list of at most 256 hosts");
    return read_each(*items, [&](const json::Value& item) {
        const std::string* host = item.if_string();
        if (host != nullptr) hosts.push_back(*host);
        return host == nullptr ? Fault("must be a string") : oauth::host_pattern_problem(*host);
    });
}

Problems read_networks(const json::Value& value, std::vector<fetch::Network>& networks) {
    const json::Array* list = value.if_array();
    if (list == nullptr || list->size() > kMostNetworks) return wrong("must be a list of up to 64 networks");
    return read_each(*list, [&](const json::Value& item) -> Fault {
        const std::string* text = item.if_string();
        const auto network = text == nullptr ? std::nullopt : fetch::parse_network(*text);
        if (!network)
            return "must be a network like \"10.0.0.0/8\" or \"fd00::/8\", with zeros behind its prefix, or one "
                   "address";
        networks.push_back(*network);
        return std::nullopt;
    });
}

}  // namespace

Problems read_authorize_methods(Config& config, const json::Value& value) {
    if (value.if_array() == nullptr) return wrong("must be a list");
    bool get = false;
    bool post = false;
    for (const json::Value& item : *value.if_array()) {
        const std::string* name = item.if_string();
        bool* seen = name == nullptr ? nullptr : *name == "GET" ? &get : *name == "POST" ? &post : nullptr;
        if (seen == nullptr) return wrong("may hold only \"GET\" and \"POST\"");
        if (std::exchange(*seen, true)) return wrong("must not name a method twice");
    }
    if (!get) return wrong("must hold \"GET\": clients send users there with a redirect");
    config.settings.authorize_post = post;
    return {};
}

Problems read_trusted_proxies(Config& config, const json::Value& value) {
    if (value.if_array() == nullptr) return wrong("must be a list");
    return read_each(*value.if_array(), [&](const json::Value& item) -> Fault {
        const std::string* given = item.if_string();
        const auto address = given == nullptr ? std::nullopt : gateway::canonical_address(*given);
        if (!address) return "must be one IP address (no network, no name)";
        config.trusted_proxies.push_back(*address);
        return std::nullopt;
    });
}

Problems read_authorization_variables(Config& config, const json::Value& value) {
    const json::Array* names = value.if_array();
    if (names == nullptr || names->empty() || names->size() > kMostVariables)
        return wrong("must be a list of 1 to 8 CGI variables");
    return read_names(*names, authorization_fault, config.authorization_variables);
}

Problems read_scope_descriptions(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object");
    return read_each(*value.if_object(), [&](const std::string& scope, const json::Value& text) {
        const Fault fault = description_fault(scope, text);
        if (!fault) config.settings.scope_descriptions[scope] = words_of(text);
        return fault;
    });
}

Problems read_languages(Config& config, const json::Value& value) {
    const json::Array* tags = value.if_array();
    if (tags == nullptr || tags->empty()) return wrong("must be a list of language tags such as [\"en\", \"de\"]");
    return read_names(*tags, tag_fault, config.settings.languages);
}

Problems read_acr_names(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr || value.if_object()->size() > kMostAcrNames)
        return wrong("must be an object of at most 32 members: names, and the levels that they stand for");
    return read_each(*value.if_object(), [&](const std::string& name, const json::Value& level) {
        const Fault fault = acr_name_fault(name, level);
        if (!fault) config.settings.login.acr_names[name] = static_cast<int>(*level.if_integer());
        return fault;
    });
}

Problems read_claims_from_environment(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object: claims, and the CGI variables that hold them");
    return read_each(*value.if_object(), [&](const std::string& claim, const json::Value& variable) {
        const Fault fault = variable_claim_fault(claim, variable);
        if (!fault) config.settings.login.claims_from_environment[claim] = *variable.if_string();
        return fault;
    });
}

Problems read_scope_claims(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object");
    Problems problems;
    for (const auto& [scope, claims] : value.if_object()->members()) {
        if (const Fault fault = scope_claims_fault(scope, claims)) {
            problems.push_back({"." + scope, *fault});
            continue;
        }
        const auto of_claims = read_each(*claims.if_array(), [&, &name = scope](const json::Value& claim) {
            const Fault fault = released_claim_fault(claim);
            if (!fault) config.settings.released_claims.add(name, *claim.if_string());
            return fault;
        });
        for (const ConfigProblem& problem : of_claims) problems.push_back({"." + scope + problem.key, problem.reason});
    }
    return problems;
}

Problems read_editable_claims(Config& config, const json::Value& value) {
    if (value.if_array() == nullptr) return wrong("must be a list");
    return read_names(*value.if_array(), editable_claim_fault, config.settings.account.editable_claims);
}

Apply read_hosts(std::vector<std::string> oauth::ClientDocuments::*member) {
    return [member](Config& config, const json::Value& value) {
        return read_host_patterns(value, config.settings.client_documents.*member);
    };
}

Problems read_registration_hosts(Config& config, const json::Value& value) {
    return read_host_patterns(value, config.settings.registration.hosts);
}

Problems read_registration_grants(Config& config, const json::Value& value) {
    const json::Array* items = value.if_array();
    if (items == nullptr || items->empty()) return wrong("must be a list of grants");
    auto& grants = config.settings.registration.grants.emplace();
    return read_each(*items, [&](const json::Value& item) -> Fault {
        const auto grant = item.if_string() == nullptr ? std::nullopt : model::parse_grant_type(*item.if_string());
        if (!grant) return "must be the name of a grant, as RFC 7591 spells it";
        grants.insert(*grant);
        return std::nullopt;
    });
}

Problems read_ports(Config& config, const json::Value& value) {
    const json::Array* list = value.if_array();
    if (list == nullptr || list->empty() || list->size() > kMostPorts)
        return wrong("must be a list of 1 to 16 TCP ports");
    auto& ports = config.settings.outbound.ports;
    ports.clear();
    for (const json::Value& item : *list) {
        const std::int64_t* port = item.if_integer();
        if (port == nullptr || *port < 1 || *port > 65535) return wrong("must hold whole numbers from 1 to 65535");
        ports.push_back(static_cast<std::uint16_t>(*port));
    }
    return {};
}

Problems read_allowed_networks(Config& config, const json::Value& value) {
    return read_networks(value, config.settings.outbound.allow);
}

Problems read_gate_proxies(Config& config, const json::Value& value) {
    return read_networks(value, config.settings.gate.proxies);
}

Problems read_metadata(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object");
    config.settings.metadata = *value.if_object();
    return read_each(*value.if_object(), [](const std::string& name, const json::Value& member) -> Fault {
        if (oidc::is_computed_member(name)) return "cannot be replaced: the server computes it";
        if (member.is_null()) return "must have a value: leave the member out instead";
        return std::nullopt;
    });
}

}  // namespace postern::config
