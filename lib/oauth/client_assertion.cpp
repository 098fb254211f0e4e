// Decides whether a JWT proves which client sends it.
#include "oauth/client_assertion.h"

#include <algorithm>
#include <array>
#include <utility>

#include "jose/foreign_claims.h"
#include "oauth/client_bar.h"
#include "oauth/client_key_set.h"
#include "oauth/single_use.h"
#include "refusal/reason.h"
#include "store/client_keys.h"
#include "store/clients.h"
#include "store/replays.h"

namespace postern::oauth {
namespace {

using crypto::Algorithm;
using refusal::Reason;

constexpr std::string_view kType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

constexpr std::array<std::string_view, 2> kTypes = {"jwt", "client-authentication+jwt"};
constexpr std::array kAlgorithms = {Algorithm::ES256, Algorithm::PS256, Algorithm::EdDSA, Algorithm::RS256};
constexpr jose::ForeignForm kForm{8192, kTypes, true, kAlgorithms};

/// All failures have these words (CA-13).
constexpr const char* kFailed = "client authentication failed";
constexpr SingleUse kSingleUse = {
    audit::Event::assertion_replayed,
    Reason::invalid_client_assertion_replayed,
    kFailed,
    "client_assertion: its \"jti\" was used before",
    Reason::temporarily_unavailable_assertions,
    "the client sends too many assertions",
    "a quarter of the marks that replays.maxSize allows are of this client",
};
constexpr SignedUse kUse = {"client_assertion", Reason::invalid_client_assertion, kFailed};

OAuthError failed(const std::string& detail, Reason reason = Reason::invalid_client_assertion) {
    return make_error(reason, kFailed, detail);
}

/// CA-1, CA-2.
Outcome<std::string_view> read_parameters(const Credentials& credentials, const http::Params& form) {
    if (credentials.method != Credentials::Method::id_only || form.find("client_secret"))
        return invalid_request("client credentials were sent in two ways");
    if (const auto faulty = form.first_fault({"client_assertion", "client_assertion_type"}))
        return invalid_parameter(*faulty);
    const auto type = form.find("client_assertion_type");
    const auto assertion = form.find("client_assertion");
    if (!type || !assertion) return invalid_request("client_assertion and client_assertion_type go together");
    if (*type != kType) return failed("client_assertion_type is another one than " + std::string(kType));
    return *assertion;
}

/// CA-3, CA-4. KEY-6: a JWT without a type of its own may be one for another use.
Outcome<jose::UnverifiedJwt> read_assertion(std::string_view assertion, const Credentials& credentials) {
    auto jwt = jose::parse_foreign_jwt(assertion, kForm);
    if (!jwt) return failed("client_assertion: " + jwt.error());
    for (const char* claim : {"nonce", "response_type"})
        if (jwt->claims.find(claim) != nullptr)
            return failed("client_assertion: it has \"" + std::string(claim) + "\", so it is a JWT for something else");
    const std::string* sub = jwt->unverified_text("sub");
    if (sub == nullptr || sub->empty()) return failed("client_assertion: its \"sub\" is missing or not a string");
    const bool is_same = credentials.readings.empty() || credentials.readings.front().client_id.str() == *sub;
    if (!is_same) return failed("client_id and the \"sub\" of client_assertion differ");
    return std::move(*jwt);
}

/// The client and its keys, as stored.
struct Candidate {
    model::Client client;
    model::ClientKeys keys;
};

/// CA-5. The work of a verification is done for a client that is refused, too (KEY-10).
Outcome<Candidate> find_candidate(Context& context, const jose::UnverifiedJwt& jwt, const model::ClientId& id) {
    const auto refuse = [&](const std::string& detail, Reason reason = Reason::invalid_client_assertion) {
        jose::verify_in_vain(jwt);
        return failed(detail, reason);
    };
    auto client = store::find_client_to_authenticate(context.store, id, context.now());
    if (!client) return refuse("no such client", Reason::invalid_client);
    if (const auto bar = find_client_bar(context.settings, *client))
        return refuse(row_of(*bar).detail, row_of(*bar).to_client);
    if (client->auth_method != model::AuthMethod::private_key_jwt)
        return refuse("the client is registered for " + std::string(to_string(client->auth_method)) +
                          " and sent a client_assertion",
                      Reason::invalid_client_other_method);
    auto keys = store::find_client_keys(context.store, id);
    if (!keys) return refuse("the client has no keys; register them with `postern client set --jwks`");
    return Candidate{std::move(*client), std::move(*keys)};
}

/// CA-9. The URL that is called is the token endpoint's or another one of ours, never what the request says of itself.
std::vector<std::string> endpoints_in_audience(const Settings& settings, const http::Request& request) {
    if (!settings.assertions.takes_endpoints) return {};
    std::vector<std::string> endpoints = settings.urls(settings.paths.token);
    for (const auto& path :
         {settings.paths.introspect, settings.paths.revoke, settings.paths.par, settings.paths.device_authorization})
        if (path && std::string_view(request.path).ends_with(*path))
            for (std::string& url : settings.urls(*path)) endpoints.push_back(std::move(url));
    return endpoints;
}

Outcome<model::Client> prove(Context& context, const Credentials& credentials, const http::Request& request,
                             const CheckBefore& check) {
    ASSIGN_OR_RETURN(const auto assertion, read_parameters(credentials, request.form));
    ASSIGN_OR_RETURN(auto jwt, read_assertion(assertion, credentials));
    const model::ClientId id(*jwt.unverified_text("sub"));
    ASSIGN_OR_RETURN(auto candidate, find_candidate(context, jwt, id));
    ASSIGN_OR_RETURN(const auto claims,
                     verify_by_client(context, candidate.client, candidate.keys, candidate.keys.alg,  // CA-6, CA-7
                                      std::move(jwt), kUse));

    const Settings& settings = context.settings;
    const bool is_strict = has_security_profile(settings, candidate.client);
    const auto endpoints = is_strict ? std::vector<std::string>() : endpoints_in_audience(settings, request);
    const auto good = check_assertion(*claims, {id, settings.issuer, endpoints, settings.assertions.max_lifetime,
                                                settings.clock_skew, context.now(), !is_strict});
    if (!good) return failed("client_assertion: " + good.error().detail, good.error().reason);
    if (check) RETURN_IF_ERROR(check(candidate.client));
    const auto mark = store::mark_of(id.str(), good->jti, good->until);  // CA-12
    RETURN_IF_ERROR(use_once(context, *context.replays, store::ReplayKind::assertion, mark, id, kSingleUse));
    return std::move(candidate.client);
}

std::string in_words(const jose::Audience& audience) {
    std::string words;
    for (const std::string& value : audience.values) words += (words.empty() ? "" : ", ") + value;
    return jose::shown(audience.is_array ? "[" + words + "]" : words);
}

/// The subject of the form's assertion, which nothing proves; nullopt: there is none that can be read.
std::optional<std::string> unproved_subject(const http::Params& form) {
    const auto assertion = form.find("client_assertion");
    if (!assertion) return std::nullopt;
    const auto jwt = jose::parse_foreign_jwt(*assertion, kForm);
    const std::string* sub = jwt ? jwt->unverified_text("sub") : nullptr;
    return sub != nullptr ? std::optional(*sub) : std::nullopt;
}

}  // namespace

bool names_assertion(const http::Params& form) {
    for (const char* name : {"client_assertion", "client_assertion_type"})
        if (form.find(name) || form.fault_of(name)) return true;
    return false;
}

util::Result<GoodAssertion, AssertionFault> check_assertion(const json::Object& claims, const AssertionRules& rules) {
    const auto fault = [](std::string detail, Reason reason = Reason::invalid_client_assertion) {
        return AssertionFault{std::move(detail), reason};
    };
    for (const char* name : {"iss", "sub"}) {  // CA-8
        const std::string* value = claims.find_string(name);
        if (value == nullptr || *value != rules.client.str())
            return fault("its \"" + std::string(name) + "\" is not the client id");
    }
    const auto audience = jose::find_audience(claims);  // CA-9
    const auto is_taken = [&](const std::string& value) {
        return value == rules.issuer || std::ranges::find(rules.endpoints, value) != rules.endpoints.end();
    };
    const bool has_form = audience && (rules.takes_list || !audience->is_array);
    if (!has_form || audience->values.size() != 1 || !is_taken(audience->values.front()))
        return fault("its \"aud\" is " + (audience ? in_words(*audience) : std::string("missing or no string")) +
                         ", and must be " + rules.issuer + (rules.takes_list ? " alone" : " alone, as a string"),
                     Reason::invalid_client_assertion_audience);
    const auto exp = jose::find_time(claims, "exp");  // CA-10
    if (!exp) return fault("its \"exp\" is missing or not a time in seconds");
    if (const auto times = jose::check_times(claims, rules.now, rules.clock_skew); !times)
        return fault(times.error().detail, times.error().is_of_clocks ? Reason::invalid_client_assertion_time
                                                                      : Reason::invalid_client_assertion);
    if (*exp > rules.now + rules.max_lifetime + rules.clock_skew)
        return fault("its \"exp\" is " + std::to_string((*exp - rules.now).count()) +
                         " s ahead, and clientAssertionMaxLifetime is " + std::to_string(rules.max_lifetime.count()) +
                         " s",
                     Reason::invalid_client_assertion_time);
    const std::string* jti = jose::find_jti(claims);  // CA-11
    if (jti == nullptr) return fault("its \"jti\" is missing, or not a string of 1 to 256 bytes");
    return GoodAssertion{*jti, *exp + jose::kExpiryGrace + rules.clock_skew};
}

Outcome<model::Client> authenticate_by_assertion(Context& context, const Credentials& credentials,
                                                 const http::Request& request, const CheckBefore& check) {
    auto client = prove(context, credentials, request, check);
    if (client) return client;
    OAuthError error = client.error();
    error.client_id = unproved_subject(request.form).value_or("");
    const model::ClientId named(error.client_id);
    const bool is_known = !error.client_id.empty() && store::is_client(context.store, named);
    return refused_client(context, error, is_known ? named : model::ClientId());
}

}  // namespace postern::oauth
