// Decides whether a device gets a code. Strangers can ask in the name of a public client, so what they can have stored
// is limited by address and in all.
#include "oauth/device_authorization.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "db/write.h"
#include "fetch/allowed.h"
#include "http/url.h"
#include "oauth/access_token.h"
#include "oauth/client_demands.h"
#include "oauth/grant_device_code.h"
#include "oauth/scope_policy.h"
#include "oauth/target.h"
#include "oauth/user_code.h"
#include "refusal/reason.h"
#include "store/device_codes.h"
#include "store/login_attempts.h"

namespace postern::oauth {
namespace {

using refusal::Reason;

constexpr util::Seconds kWindow{60};
constexpr std::int64_t kRequestsOfAddress = 20;  ///< by public clients, in the window
constexpr std::int64_t kRequestsOfClient = 60;   ///< of one that authenticates, in the window
constexpr std::int64_t kOpenOfAddress = 10;
constexpr util::Seconds kRetryWhenFull{60};
/// So many stored codes would have to be in use that no other letters are found.
constexpr int kTries = 8;

bool is_public(const model::Client& client) { return client.type == model::ClientType::public_; }

/// "" for an unknown address: the requests of all unknown addresses must not share a counter (docs/decisions/0097).
std::string digest_of_network(const std::string& address) {
    const std::string network = fetch::network_of(address);
    return network.empty() ? "" : crypto::sha256_hex(network);
}

/// How often this caller has asked in the window that runs.
store::Use use_of(const model::Client& client, const std::string& network, std::string& key) {
    const std::string prefix(store::kDeviceUseCounter);
    if (!is_public(client)) {
        key = prefix + "client:" + crypto::sha256_hex(client.id.str());
        return {key, kRequestsOfClient, kWindow};
    }
    key = network.empty() ? "" : prefix + "address:" + network;
    return {key, kRequestsOfAddress, kWindow};
}

/// A share of `device.max`, rounded up.
std::int64_t share(const Settings& settings, std::int64_t of) { return (settings.device_max + of - 1) / of; }

DeviceRefusal too_often(util::Seconds wait) {
    OAuthError error = make_error(Reason::slow_down_device_requests, "too many device codes were asked for",
                                  "20 a minute of one address by public clients, 60 a minute of a client that "
                                  "authenticates");
    error.http_status = 429;
    return {std::move(error), wait};
}

DeviceRefusal too_many_open(std::string detail) {
    OAuthError error =
        make_error(Reason::slow_down_device_requests, "too many device codes are open", std::move(detail));
    error.http_status = 429;
    return {std::move(error), kRetryWhenFull};
}

DeviceRefusal no_room(std::string detail) {
    return {
        make_error(Reason::temporarily_unavailable_device_codes, "too many device codes are open", std::move(detail)),
        kRetryWhenFull};
}

/// RFC 8628 has no error for it: slow_down is what a client knows, and 503 what it may try again.
std::optional<DeviceRefusal> find_limit(const Settings& settings, const model::Client& client,
                                        const store::OpenDeviceCodes& open) {
    if (open.all >= settings.device_max) return no_room("device.max are open");
    if (!is_public(client)) {
        if (open.of_client >= share(settings, 4)) return too_many_open("a quarter of device.max are of this client");
        return std::nullopt;
    }
    if (open.of_network >= kOpenOfAddress) return too_many_open("10 were asked for from this address");
    if (open.of_public_clients >= share(settings, 2)) return no_room("half of device.max are of public clients");
    return std::nullopt;
}

/// A row keeps no more than an authorization request may ask for.
Outcome<void> check_size(const http::Params& form) {
    std::size_t total = form.find("scope").value_or("").size();
    for (const std::string& uri : form.find_all("resource").value_or(std::vector<std::string>())) total += uri.size();
    if (total > kMaxRequestBytes) return invalid_request("scope and resource are longer than 4864 bytes together");
    return {};
}

util::Result<void, DeviceRefusal> store_code(Context& context, const model::Client& client, model::DeviceCode& code,
                                             std::string& letters) {
    using Stored = util::Result<void, DeviceRefusal>;
    const util::Time now = context.now();
    std::string key;
    const store::Use use = use_of(client, code.network, key);
    // A flood costs no writes.
    const store::Attempts before = store::find_attempts(context.store, {key}, now).front();
    if (before.failures >= use.limit) return too_often(before.until - now);
    return db::write(context.store, db::Durability::lazy, [&](db::Transaction& transaction) -> Stored {
        // Of several requests at once each sees the codes of the others.
        store::hold_key(transaction, std::string(store::kDeviceUseCounter) + "open:", now);
        const store::Attempts asked = store::count_use(transaction, use, now);
        if (asked.failures > use.limit) {
            transaction.commit();
            return too_often(asked.until - now);
        }
        const auto open = store::count_open_device_codes(transaction.database(), client.id, code.network, now);
        if (auto limit = find_limit(context.settings, client, open)) {
            transaction.commit();
            return *std::move(limit);
        }
        for (int i = 0; i < kTries; ++i) {
            letters = make_user_code(context.random);
            code.user_code_hash = user_code_hash(letters);
            if (!store::insert_device_code(transaction, code)) continue;
            transaction.commit();
            return Stored();
        }
        throw db::StoreError("device_codes: no letters are free");
    });
}

}  // namespace

Outcome<Credentials> parse_device_authorization_request(const http::Request& request) {
    if (request.body != http::BodyKind::form)
        return invalid_request("the body must be application/x-www-form-urlencoded");
    if (const auto fault = request.form.first_fault({"client_id", "client_secret", "scope", "aud", "audience"}))
        return invalid_parameter(*fault);
    return parse_credentials(request);
}

json::Object DeviceAuthorization::to_json() const {
    return json::Object{{"device_code", device_code},
                        {"user_code", user_code},
                        {"verification_uri", verification_uri},
                        {"verification_uri_complete", http::with_query(verification_uri, {{"user_code", user_code}})},
                        {"expires_in", std::int64_t{expires_in.count()}},
                        {"interval", std::int64_t{model::kPollInterval.count()}},
                        {"message", "To sign in, open " + verification_uri + " and enter " + user_code}};
}

util::Result<DeviceAuthorization, DeviceRefusal> authorize_device(Context& context, const model::Client& client,
                                                                  const http::Request& request) {
    const auto refused = [](OAuthError error) { return DeviceRefusal{std::move(error)}; };
    if (const auto may = check_device_grant(client); !may) return refused(may.error());
    if (const auto met = check_demands(context.settings, client); !met) return refused(met.error());
    if (const auto fits = check_size(request.form); !fits) return refused(fits.error());
    const auto asked = read_scope(context, client, request.form.find("scope"));
    if (!asked) return refused(asked.error());
    const auto named = parse_targets(request.form);
    if (!named) return refused(named.error());
    auto resources = find_resources(context, client, named->resources, asked->scope, asked->by_name);
    if (!resources) return refused(resources.error());

    const std::string device_code = crypto::random_token(context.random);
    model::DeviceCode code;
    code.device_hash = hash_of(device_code);
    code.client_id = client.id;
    code.scope = asked->scope;
    code.ignored_scope = asked->ignored;
    code.resources = *std::move(resources);
    code.address = request.remote_address;
    if (is_public(client)) code.network = digest_of_network(request.remote_address);
    code.created_at = context.now();
    code.expires_at = code.created_at + context.settings.device_code_ttl;
    std::string letters;
    RETURN_IF_ERROR(store_code(context, client, code, letters));
    context.trail.add(audit::Event::device_code_issued, {audit::client(client.id),
                                                         audit::credential("device", code.device_hash),
                                                         {"scope", code.scope.to_string()},
                                                         {"resource", model::to_string(code.resources)}});
    return DeviceAuthorization{device_code, shown_user_code(letters),
                               context.settings.url(context.settings.paths.device.value()),
                               context.settings.device_code_ttl};
}

}  // namespace postern::oauth
