#include "config/lists.h"

#include <algorithm>
#include <utility>

#include "config/checks.h"
#include "gateway/address.h"
#include "gateway/variable_names.h"
#include "model/protocol_claims.h"
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

/// What is wrong with the claims of one scope as a whole.
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

struct NotEditable {
    std::string_view name;
    const char* reason;
};
constexpr NotEditable kNotEditable[] = {
    {"email_verified", "the user would vouch for the address"},
    {"phone_number_verified", "the user would vouch for the number"},
    {"address", "the page has no fields for it"},
    {"updated_at", "the server sets it"},
};

Fault editable_claim_fault(const std::string* name) {
    if (name == nullptr || !model::scope_of_claim(*name)) return "must be a claim of OpenID Connect Core 5.1";
    for (const NotEditable& row : kNotEditable)
        if (row.name == *name) return "must not be \"" + *name + "\": " + row.reason;
    return std::nullopt;
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
    Problems problems;
    for (std::size_t i = 0; i < value.if_array()->size(); ++i) {
        const std::string* given = (*value.if_array())[i].if_string();
        const auto address = given == nullptr ? std::nullopt : gateway::canonical_address(*given);
        if (address) {
            config.trusted_proxies.push_back(*address);
        } else {
            problems.push_back({"[" + std::to_string(i) + "]", "must be one IP address (no network, no name)"});
        }
    }
    return problems;
}

Problems read_authorization_variables(Config& config, const json::Value& value) {
    if (value.if_array() == nullptr || value.if_array()->empty() || value.if_array()->size() > kMostVariables)
        return wrong("must be a list of 1 to 8 CGI variables");
    Problems problems;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < value.if_array()->size(); ++i) {
        const std::string* given = (*value.if_array())[i].if_string();
        const Fault fault =
            given == nullptr ? Fault("must be a string") : gateway::authorization_variable_fault(*given);
        const bool twice = !fault && std::ranges::find(names, *given) != names.end();
        if (fault || twice) {
            problems.push_back({"[" + std::to_string(i) + "]", fault.value_or("must not be named twice")});
        } else {
            names.push_back(*given);
        }
    }
    config.authorization_variables = std::move(names);
    return problems;
}

Problems read_scope_descriptions(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object");
    Problems problems;
    for (const auto& member : value.if_object()->members()) {
        if (const Fault fault = description_fault(member.first, member.second)) {
            problems.push_back({"." + member.first, *fault});
        } else {
            config.settings.scope_descriptions[member.first] = words_of(member.second);
        }
    }
    return problems;
}

Problems read_languages(Config& config, const json::Value& value) {
    const json::Array* tags = value.if_array();
    if (tags == nullptr || tags->empty()) return wrong("must be a list of language tags such as [\"en\", \"de\"]");
    Problems problems;
    std::vector<std::string> languages;
    for (std::size_t i = 0; i < tags->size(); ++i) {
        const std::string* tag = (*tags)[i].if_string();
        if (tag == nullptr || !text::is_language_tag(*tag))
            problems.push_back({"[" + std::to_string(i) + "]", "must be a language tag such as \"de\" or \"pt-BR\""});
        else if (std::ranges::find(languages, *tag) != languages.end())
            problems.push_back({"[" + std::to_string(i) + "]", "must not be named twice"});
        else
            languages.push_back(*tag);
    }
    config.settings.languages = std::move(languages);
    return problems;
}

Problems read_acr_names(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr || value.if_object()->members().size() > kMostAcrNames)
        return wrong("must be an object of at most 32 members: names, and the levels that they stand for");
    Problems problems;
    for (const auto& [name, level] : value.if_object()->members()) {
        if (const Fault fault = acr_name_fault(name, level)) {
            problems.push_back({"." + name, *fault});
        } else {
            config.settings.login.acr_names[name] = static_cast<int>(*level.if_integer());
        }
    }
    return problems;
}

Problems read_scope_claims(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object");
    Problems problems;
    for (const auto& [scope, claims] : value.if_object()->members()) {
        if (const Fault fault = scope_claims_fault(scope, claims)) {
            problems.push_back({"." + scope, *fault});
            continue;
        }
        for (std::size_t i = 0; i < claims.if_array()->size(); ++i) {
            const json::Value& name = (*claims.if_array())[i];
            if (const Fault fault = released_claim_fault(name))
                problems.push_back({"." + scope + "[" + std::to_string(i) + "]", *fault});
            else
                config.settings.released_claims.add(scope, *name.if_string());
        }
    }
    return problems;
}

Problems read_editable_claims(Config& config, const json::Value& value) {
    if (value.if_array() == nullptr) return wrong("must be a list");
    Problems problems;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < value.if_array()->size(); ++i) {
        const std::string* name = (*value.if_array())[i].if_string();
        Fault fault = editable_claim_fault(name);
        if (!fault && std::ranges::find(names, *name) != names.end()) fault = "must not be named twice";
        if (fault)
            problems.push_back({"[" + std::to_string(i) + "]", *fault});
        else
            names.push_back(*name);
    }
    config.settings.account.editable_claims = std::move(names);
    return problems;
}

Apply read_hosts(std::vector<std::string> oauth::ClientDocuments::*member) {
    return [member](Config& config, const json::Value& value) {
        const json::Array* items = value.if_array();
        if (items == nullptr || items->size() > kMostHosts) return wrong("must be a list of at most 256 hosts");
        Problems problems;
        std::vector<std::string> hosts;
        for (std::size_t i = 0; i < items->size(); ++i) {
            const std::string* host = (*items)[i].if_string();
            const Fault fault = host == nullptr ? "must be a string" : oauth::host_pattern_problem(*host);
            if (fault) problems.push_back({"[" + std::to_string(i) + "]", *fault});
            if (host != nullptr) hosts.push_back(*host);
        }
        config.settings.client_documents.*member = std::move(hosts);
        return problems;
    };
}

Problems read_metadata(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object");
    Problems problems;
    for (const auto& member : value.if_object()->members()) {
        if (oidc::is_computed_member(member.first)) {
            problems.push_back({"." + member.first, "cannot be replaced: the server computes it"});
        } else if (member.second.is_null()) {
            problems.push_back({"." + member.first, "must have a value: leave the member out instead"});
        }
    }
    if (problems.empty()) config.settings.metadata = *value.if_object();
    return problems;
}

}  // namespace postern::config
