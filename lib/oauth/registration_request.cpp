// Reads a registration request: a table of steps in a fixed order, each about a few members.
#include "oauth/registration_request.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oauth/registered_addresses.h"
#include "oauth/registered_keys.h"
#include "oauth/registered_members.h"
#include "oauth/registered_name.h"
#include "oauth/registration.h"
#include "oauth/scope_policy.h"
#include "oauth/unmet_demand.h"
#include "refusal/reason.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using namespace registering;
using json::Object;
using json::Value;
using model::AuthMethod;
using model::Client;
using model::GrantType;
using model::ResponseType;
using refusal::Reason;

/// The response types in a request, those that are known. The default is `code` for who has codes (RFC 7591 §2).
Outcome<std::set<ResponseType>> asked_response_types(const Asked& asked, const std::set<GrantType>& grants) {
    ASSIGN_OR_RETURN(const auto names, texts_of(asked, "response_types"));
    if (!names)
        return grants.contains(GrantType::authorization_code) ? std::set{ResponseType::code} : std::set<ResponseType>();
    std::set<ResponseType> types;
    for (const std::string& name : *names)
        if (const auto type = model::parse_response_type(name)) types.insert(*type);
    return types;
}

Outcome<std::set<GrantType>> asked_grants(const Asked& asked) {
    ASSIGN_OR_RETURN(const auto names, texts_of(asked, "grant_types"));
    if (!names) return std::set{GrantType::authorization_code};
    std::set<GrantType> grants;
    for (const std::string& name : *names)
        if (const auto grant = model::parse_grant_type(name)) grants.insert(*grant);
    return grants;
}

/// REG-28.
constexpr std::array kGrantsOfStrangers = {GrantType::authorization_code, GrantType::refresh_token};

bool may_have(const Asked& asked, GrantType grant) {
    if (asked.is_of_stranger() && std::ranges::find(kGrantsOfStrangers, grant) == kGrantsOfStrangers.end())
        return false;
    return registrable_grants(asked.settings).contains(grant);
}
bool may_have(const Asked& asked, ResponseType type) {
    return asked.settings.offers(type) && (!asked.is_of_stranger() || type == ResponseType::code);
}

/// Grants that have lost their response type go, and then refresh_token when nothing gives one.
void leave_out_useless_grants(Client& client) {
    if (std::ranges::none_of(client.response_types, model::yields_code))
        client.grants.erase(GrantType::authorization_code);
    if (std::ranges::none_of(client.response_types, model::yields_any_token)) client.grants.erase(GrantType::implicit);
    if (!client.has_grant(GrantType::authorization_code) && !client.has_grant(GrantType::device_code))
        client.grants.erase(GrantType::refresh_token);
}

/// REG-7, REG-28.
Outcome<void> read_grants(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(client.grants, asked_grants(asked));
    ASSIGN_OR_RETURN(client.response_types, asked_response_types(asked, client.grants));
    for (const ResponseType type : client.response_types)
        if (model::missing_grant(client, type))  // RFC 7591 §2.1
            return refuse(
                "response_types and grant_types contradict each other",
                "the response type " + std::string(to_string(type)) + " needs a grant that grant_types lacks");
    std::erase_if(client.grants, [&](GrantType grant) { return !may_have(asked, grant); });
    std::erase_if(client.response_types, [&](ResponseType type) {
        return !may_have(asked, type) || model::missing_grant(client, type).has_value();
    });
    leave_out_useless_grants(client);
    if (client.grants.empty())
        return refuse("no grant with a response type is left that clients may register for",
                      "see registration.grants and responseTypes in the configuration");
    const bool needs_address = !client.response_types.empty();
    if (needs_address && client.redirect_uris.empty()) return refuse_redirect_uri("redirect_uris is required");
    return {};
}

/// A method that an option opens, to clients that registered with a token.
struct OptionalMethod {
    AuthMethod method;
    bool (*is_on)(const Settings& settings);
};
constexpr OptionalMethod kOptionalMethods[] = {
    {AuthMethod::private_key_jwt, [](const Settings& settings) { return settings.assertions.enabled; }},
    {AuthMethod::tls_client_auth, [](const Settings& settings) { return settings.offers_tls_client_auth(); }},
    {AuthMethod::self_signed_tls_client_auth, [](const Settings& settings) { return settings.mtls.has_value(); }},
};

bool is_offered(const Asked& asked, AuthMethod method) {
    const auto* const row = std::ranges::find(kOptionalMethods, method, &OptionalMethod::method);
    return row == std::end(kOptionalMethods) || (row->is_on(asked.settings) && !asked.is_of_stranger());
}

/// "client_secret_basic, client_secret_post or none"
std::string offered_methods(const Asked& asked) {
    std::string names = "client_secret_basic, client_secret_post";
    for (const OptionalMethod& row : kOptionalMethods)
        if (is_offered(asked, row.method)) names.append(", ").append(to_string(row.method));
    return names + " or none";
}

/// REG-9, REG-26.
Outcome<void> read_auth_method(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(const auto name, text_of(asked, "token_endpoint_auth_method"));
    const auto method = model::parse_auth_method(name.value_or("client_secret"));
    const bool is_named_so = !name || (method && *method != AuthMethod::client_secret);  // that name is ours
    if (!is_named_so || !is_offered(asked, *method))
        return make_error(Reason::invalid_client_metadata_not_offered,
                          "token_endpoint_auth_method must be " + offered_methods(asked),
                          "got " + util::displayable(name->substr(0, 64)));
    client.auth_method = asked.is_of_stranger() ? AuthMethod::none : *method;
    const bool is_public = client.auth_method == AuthMethod::none;
    client.type = is_public ? model::ClientType::public_ : model::ClientType::confidential;
    const bool needs_pkce = is_public || has_security_profile(asked.settings, client);
    client.pkce = needs_pkce ? model::Pkce::required : model::Pkce::optional;
    if (is_public && client.has_grant(GrantType::client_credentials))
        return refuse("the grant client_credentials needs a client that authenticates");
    return {};
}

/// REG-10. A client must not get less than it demands. That its requests are pushed is kept of a stranger, too: it
/// takes something away (docs/decisions/0143).
Outcome<void> read_demands(const Asked& asked, Client& client) {
    if (const auto demand = find_unmet_demand(asked.request, asked.settings, client.type))
        return not_offered(demand->member);
    client.require_par = demands_pushed_requests(asked.request);
    client.dpop_bound = demands_bound_tokens(asked.request);
    client.require_signed_request = demands_signed_requests(asked.request);
    client.tls_bound = demands_certificate(asked.request);
    for (const char* member : {"default_max_age", "default_acr_values"})
        if (asked.request.find(member) != nullptr) return not_offered(member);
    const Value* auth_time = asked.request.find("require_auth_time");
    const bool knows_times = asked.settings.login.has_page() || asked.settings.login.auth_time_variable;
    if (auth_time != nullptr && (auth_time->if_bool() == nullptr || (*auth_time->if_bool() && !knows_times)))
        return not_offered("require_auth_time");
    return {};
}

/// Reads a member with the algorithm of something that this server signs. Of a stranger nothing is kept, so that it
/// must be `usual`, which is what the client gets anyway.
Outcome<void> read_algorithm(const Asked& asked, const char* member, bool is_signed_here, crypto::Algorithm usual,
                             std::optional<crypto::Algorithm>& algorithm) {
    ASSIGN_OR_RETURN(const auto name, text_of(asked, member));
    if (!name) return {};
    const auto wanted = crypto::parse_algorithm(*name);
    const bool is_ours = is_signed_here && wanted && asked.settings.offers_id_tokens_by(*wanted) &&
                         (!asked.is_of_stranger() || *wanted == usual);
    if (!is_ours) return not_offered(member);
    if (!asked.is_of_stranger()) algorithm = wanted;
    return {};
}

/// REG-10.
Outcome<void> read_id_token_algorithm(const Asked& asked, Client& client) {
    return read_algorithm(asked, "id_token_signed_response_alg", true,
                          wanted_id_token_algorithm(asked.settings, client), client.id_token_algorithm);
}
Outcome<void> read_response_algorithm(const Asked& asked, Client& client) {
    return read_algorithm(asked, "authorization_signed_response_alg", asked.settings.jarm,
                          asked.settings.default_response_algorithm(), client.response_algorithm);
}

/// JARM-6. Kept of a stranger, too, as a demand for pushed requests is.
Outcome<void> read_response_modes(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(const auto names, texts_of(asked, "response_modes"));
    if (!names) return {};
    client.response_modes = offered_response_modes(*names, asked.settings);
    if (client.response_modes.empty()) return not_offered("response_modes");
    return {};
}

/// REG-11. It is a demand as those of REG-10 are: who wants pairwise ids must not get the public one.
Outcome<void> check_subject_type(const Asked& asked, Client&) {
    ASSIGN_OR_RETURN(const auto type, text_of(asked, "subject_type"));
    if (type.value_or("public") != "public") return not_offered("subject_type");
    return {};
}

Outcome<void> read_name(const Asked& asked, Client& client) {
    ASSIGN_OR_RETURN(const auto name, text_of(asked, "client_name"));
    if (const auto problem = name ? registered_name_problem(*name) : std::nullopt)
        return refuse("client_name " + *problem);
    client.name = name.value_or("");
    return {};
}

/// REG-13.
Outcome<void> read_scope(const Asked& asked, Client& client) {
    const model::Scope& allowed = asked.settings.registration.scope;
    ASSIGN_OR_RETURN(const auto text, text_of(asked, "scope"));
    const auto scope = read_words(text.value_or(""));
    if (!scope) return refuse("scope must be words of ASCII with blanks between them, at most 64");
    if (scope->empty()) {  // as at the other endpoints
        client.scope = allowed;
        return {};
    }
    for (const std::string& token : scope->tokens())
        if (allowed.contains(token)) client.scope.add(token);
    if (client.scope.empty())
        return refuse("no scope is left that clients may register for", "see registration.scope in the configuration");
    return {};
}

/// The rules that every stored client keeps, so that no endpoint has to doubt what it reads.
Outcome<void> check_as_operators(const Asked& asked, Client& client) {
    Client whole = client;
    whole.id = model::ClientId("registered");
    const auto problems = registration_problems(whole, asked.settings);
    if (problems.empty()) return {};
    return refuse("the members do not fit each other", problems.front());
}

/// RFC 7591 §2 does not know null; libraries write it for what they leave out.
Object without_nulls(const Object& request) {
    Object present;
    for (const auto& [name, value] : request.members())
        if (!value.is_null()) present.set(name, value);
    return present;
}

struct Step {
    Outcome<void> (*run)(const Asked&, Client&);
    bool reads_of_strangers;  ///< REG-25: of others the members are ignored
};
constexpr Step kSteps[] = {
    {read_redirect_uris, true},
    {check_addresses_of_stranger, true},
    {read_grants, true},
    {read_application_type, true},
    {read_auth_method, true},
    {read_request_algorithm, false},
    {read_keys, false},
    {read_demands, true},
    {read_id_token_algorithm, true},
    {read_response_modes, true},
    {read_response_algorithm, true},
    {check_subject_type, true},
    {read_links, false},
    {read_logout_addresses, false},
    {read_logout_uris, false},
    {read_name, true},
    {read_scope, true},
    {check_as_operators, true},
};

}  // namespace

Outcome<Client> read_registration(const Object& request, const Settings& settings, Registrant registrant) {
    const Object present = without_nulls(request);
    const Asked asked{present, settings, registrant};
    Client client;
    client.origin = model::Origin::dynamic;
    for (const Step& step : kSteps) {
        if (asked.is_of_stranger() && !step.reads_of_strangers) continue;
        RETURN_IF_ERROR(step.run(asked, client));
    }
    return client;
}

}  // namespace postern::oauth
