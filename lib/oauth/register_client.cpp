// Decides who may register a client. A stranger's registration is a row that nobody asked for, so that there are limits
// of the address, of its network and in all.
#include "oauth/register_client.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "db/write.h"
#include "fetch/allowed.h"
#include "json/reader.h"
#include "oauth/access_token.h"
#include "oauth/bearer.h"
#include "oauth/registered_client.h"
#include "oauth/registration_request.h"
#include "refusal/reason.h"
#include "store/client_keys.h"
#include "store/clients.h"
#include "store/login_attempts.h"
#include "store/registration_tokens.h"
#include "util/secret.h"

namespace postern::oauth {
namespace {

using refusal::Reason;
template <class T>
using Registered = util::Result<T, RegistrationRefusal>;

constexpr json::Limits kLimits{.bytes = kMaxRegistrationBytes, .depth = 8, .nodes = 2048};
constexpr util::Seconds kWindow{3600};
constexpr std::int64_t kOfAddress = 10;   ///< REG-3, in the window: an IPv4 address, or a /64
constexpr std::int64_t kOfNetwork = 100;  ///< a /48
constexpr std::size_t kNetworkBytes = 6;
constexpr util::Seconds kRetryWhenFull{600};
constexpr util::Seconds kUntilApproved{3600};  ///< REG-30
constexpr util::Seconds kKeptInAnyCase{600};

OAuthError no_good_token(const http::Request& request) {
    return make_error(Reason::invalid_token_initial, "an initial access token is required, and none that is good came",
                      request.why_no_authorization);
}

/// REG-2. nullopt: none was sent, and none is needed.
Outcome<std::optional<model::ValueHash>> find_initial_token(Context& context, const http::Request& request) {
    const bool is_open = context.settings.registration.mode == RegistrationMode::open;
    if (!request.authorization && is_open) return std::optional<model::ValueHash>();
    const auto token = bearer_token(request);
    if (!token) return no_good_token(request);
    const model::ValueHash hash = hash_of(*token);
    if (!store::is_usable_registration_token(context.store, hash, context.now())) return no_good_token(request);
    return std::optional(hash);
}

/// REG-1.
Outcome<json::Object> read_body(const http::Request& request) {
    if (request.body != http::BodyKind::json)
        return make_error(ErrorCode::invalid_client_metadata, "the body must be of type application/json");
    if (request.content.size() > kMaxRegistrationBytes) {
        OAuthError error = invalid_request("the body is longer than 32768 bytes");
        error.http_status = 413;
        return error;
    }
    auto value = json::parse(request.content, json::Dialect::strict, kLimits);
    if (!value)
        return make_error(ErrorCode::invalid_client_metadata, "the body is not strict JSON",
                          "line " + std::to_string(value.error().line) + ": " + value.error().reason);
    json::Object* object = value->if_object();
    if (object == nullptr) return make_error(ErrorCode::invalid_client_metadata, "the body must be a JSON object");
    return std::move(*object);
}

/// The counters of an address; "" for an unknown one, whose registrations must not share a counter with all of those
/// (docs/decisions/0097).
struct Counters {
    std::string address;
    std::string network;  ///< "" for IPv4
};
Counters counters_of(const std::string& remote) {
    const std::string prefix(store::kRegistrationCounter);
    const auto address = fetch::parse_address(remote);
    if (!address) return {};
    const std::string part = fetch::network_of(remote);
    Counters counters{prefix + "address:" + crypto::sha256_hex(part), ""};
    if (!fetch::is_ipv4(*address))
        counters.network = prefix + "network:" + crypto::sha256_hex(part.substr(0, kNetworkBytes));
    return counters;
}

RegistrationRefusal too_many_of_address(util::Seconds wait) {
    OAuthError error = make_error(Reason::temporarily_unavailable_registrations, "too many clients were registered",
                                  "10 an hour of one address, 100 of one /48");
    error.http_status = 429;
    return {std::move(error), wait};
}

bool is_full(Context& context) {
    return store::count_open_registrations(context.store) >= context.settings.registration.max;
}

RegistrationRefusal no_room() {
    return {make_error(Reason::temporarily_unavailable_registration_max, "too many clients are registered",
                       "registration.max is reached"),
            kRetryWhenFull};
}

/// A flood costs no writes.
std::optional<RegistrationRefusal> find_limit(Context& context, const Counters& counters) {
    const util::Time now = context.now();
    const auto attempts = store::find_attempts(context.store, {counters.address, counters.network}, now);
    if (attempts[0].failures >= kOfAddress) return too_many_of_address(attempts[0].until - now);
    if (attempts[1].failures >= kOfNetwork) return too_many_of_address(attempts[1].until - now);
    if (is_full(context) && !store::has_unapproved(context.store, now - kKeptInAnyCase)) return no_room();
    return std::nullopt;
}

/// REG-3, REG-30. Of several requests at once each sees the rows of the others.
std::optional<RegistrationRefusal> make_room(db::Transaction& transaction, Context& context, const Counters& counters) {
    const util::Time now = context.now();
    store::hold_key(transaction, std::string(store::kRegistrationCounter) + "open:", now);
    if (!store::count_uses(transaction,
                           {{counters.address, kOfAddress, kWindow}, {counters.network, kOfNetwork, kWindow}}, now))
        return too_many_of_address(kWindow);
    if (!is_full(context) || store::remove_oldest_unapproved(transaction, now - kKeptInAnyCase)) return std::nullopt;
    return no_room();
}

/// REG-2: decremented in the transaction that registers.
std::optional<RegistrationRefusal> use_token(db::Transaction& transaction, const http::Request& request,
                                             const model::ValueHash& token, util::Time now) {
    if (store::use_registration_token(transaction, token, now)) return std::nullopt;
    return RegistrationRefusal{no_good_token(request)};
}

/// What the program gets in clear, and storage as digests (REG-15).
struct Secrets {
    util::Secret client;  ///< empty: a public client, or one that signs
    util::Secret registration;
};

Secrets add_secrets(Context& context, model::Client& client) {
    Secrets made;
    if (model::has_secret(client)) {
        made.client = util::Secret(crypto::random_token(context.random));
        client.secrets.push_back({hash_of(made.client.reveal()), std::nullopt});
    }
    made.registration = util::Secret(crypto::random_token(context.random));
    client.registration_token_hash = hash_of(made.registration.reveal()).str();
    return made;
}

Registered<void> store_client(Context& context, const http::Request& request, const model::Client& client,
                              const std::optional<model::ValueHash>& token) {
    const Counters counters = token ? Counters() : counters_of(request.remote_address);
    if (!token) {
        if (auto limit = find_limit(context, counters)) return *std::move(limit);
    }
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) -> Registered<void> {
        auto refused =
            token ? use_token(transaction, request, *token, context.now()) : make_room(transaction, context, counters);
        if (refused) return *std::move(refused);  // nothing is kept of it
        if (!store::insert_client(transaction, client)) throw std::logic_error("a random client id was taken");
        if (client.keys) store::insert_client_keys(transaction, client.id, *client.keys);
        transaction.commit();
        return {};
    });
}

}  // namespace

Registered<json::Object> register_client(Context& context, const http::Request& request) {
    const auto token = find_initial_token(context, request);
    if (!token) return RegistrationRefusal{token.error()};
    const auto body = read_body(request);
    if (!body) return RegistrationRefusal{body.error()};
    auto client = read_registration(*body, context.settings, *token ? Registrant::token_holder : Registrant::stranger);
    if (!client) return RegistrationRefusal{client.error()};

    client->id = model::ClientId(crypto::random_id(context.random));
    client->created_at = context.now();
    client->removable_at = context.now() + (*token ? context.settings.registration.ttl : kUntilApproved);
    if (*token) client->registered_by = (*token)->str();
    const Secrets secrets = add_secrets(context, *client);
    RETURN_IF_ERROR(store_client(context, request, *client, *token));

    std::vector<audit::Member> members = {audit::client(client->id), {"origin", "dynamic"}};
    if (*token) members.push_back(audit::credential("token", **token));
    context.trail.add(audit::Event::client_registered, std::move(members));
    json::Object answer = registration_of(*client, context.settings, secrets.registration.reveal());
    if (!secrets.client.empty()) {
        answer.set("client_secret", secrets.client.reveal());
        answer.set("client_secret_expires_at", 0);
    }
    return answer;
}

}  // namespace postern::oauth
