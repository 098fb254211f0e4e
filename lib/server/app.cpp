// Opens the resources of one process of one endpoint.
#include "server/app.h"

#include <stdexcept>
#include <utility>

#include "db/maintenance.h"
#include "db/replay_file.h"
#include "oauth/authorities.h"
#include "store/replays.h"

namespace postern::server {
namespace {

constexpr std::chrono::seconds kLockWait{5};

std::optional<db::Database> open_database(const config::Config& config, const Endpoint& endpoint) {
    if (endpoint.store == StoreUse::none) return std::nullopt;
    const auto access = endpoint.store == StoreUse::write ? db::Access::read_write : db::Access::query_only;
    return db::Database(config.database, access, kLockWait, endpoint.name);
}

std::unique_ptr<fetch::Fetcher> start_fetcher(const oauth::Settings& settings, const Endpoint& endpoint) {
    return may_fetch(endpoint, settings) ? endpoint.fetcher(settings.outbound) : nullptr;
}

/// On a server the marks are in the database; a program that only reads it needs another connection for them.
std::optional<db::Database> open_marks(const config::Config& config, const Endpoint& endpoint, store::ReplayKind kind) {
    if (!db::is_uri(config.database))
        return db::open_replay_file(config.replay_file(kind), store::room_of_kind(config.settings.replays_size));
    if (endpoint.store == StoreUse::write) return std::nullopt;
    return db::Database(config.database, db::Access::read_write, kLockWait, endpoint.name);
}

std::optional<db::Database> open_replays(const config::Config& config, const Endpoint& endpoint) {
    if (!endpoint.assertions || !config.settings.assertions.enabled) return std::nullopt;
    return open_marks(config, endpoint, store::ReplayKind::assertion);
}

std::optional<db::Database> open_proofs(const config::Config& config, const Endpoint& endpoint) {
    if (!endpoint.proofs || !config.settings.dpop) return std::nullopt;
    return open_marks(config, endpoint, *endpoint.proofs);
}

keys::KeyUse key_use(const Endpoint& endpoint, const oauth::Settings& settings) {
    const bool asked_for = endpoint.signs_if && endpoint.signs_if(settings);
    return asked_for ? keys::KeyUse::sign : endpoint.keys;
}

bool reads_factor_key(const Endpoint& endpoint, const login::Settings& login) {
    return endpoint.factors && login.has_levels() && login.second_factor != login::SecondFactor::off;
}

std::unique_ptr<const factor::PasswordList> open_list(const Endpoint& endpoint, const login::Settings& login) {
    const bool takes_passwords = endpoint.password_list != nullptr && login.method == login::Method::password;
    return takes_passwords && login.password_blocklist ? endpoint.password_list(*login.password_blocklist) : nullptr;
}

std::optional<crypto::Authorities> read_authorities(const Endpoint& endpoint, const oauth::Settings& settings) {
    const bool is_asked_for = endpoint.certificates && endpoint.assertions && settings.offers_tls_client_auth();
    return is_asked_for ? std::optional(oauth::read_authorities(settings.mtls->ca)) : std::nullopt;
}

std::optional<os::WakeFile> open_mail_wake(const config::Config& config, const Endpoint& endpoint) {
    if (!endpoint.mail || !config.settings.mail) return std::nullopt;
    return os::WakeFile(config.mail_wake_path());
}

std::optional<os::WakeFile> open_logout_wake(const config::Config& config, const Endpoint& endpoint) {
    if (!endpoint.logouts || !config.settings.backchannel_logout) return std::nullopt;
    return os::WakeFile(config.logout_wake_path());
}

/// A process that will have to sign starts with the keys for it or not at all. Of the algorithms of ID tokens the
/// default must be there: others are for clients that name them (docs/decisions/0127-algorithms-of-id-tokens.md).
void check_signing_keys(const keys::Keys& keys, const Endpoint& endpoint, const oauth::Settings& settings) {
    if (key_use(endpoint, settings) != keys::KeyUse::sign) return;
    const bool always_signs = endpoint.keys == keys::KeyUse::sign;
    if (always_signs || settings.has_front_access_tokens())
        keys.check_signing_key(settings.token_algorithm(model::TokenProfile::interface));
    if (settings.oidc && (always_signs || settings.has_front_id_tokens()))
        keys.check_signing_key(settings.id_token_algorithms.front());
    if (!always_signs && settings.jarm) keys.check_signing_key(settings.default_response_algorithm());
}

}  // namespace

App::App(config::Config config, const Endpoint& endpoint, pages::Parsing parsing)
    : config_(std::move(config)),
      log_(util::open_log_sink(config_.log_target), config_.log_level, endpoint.name),
      fetcher_(start_fetcher(config_.settings, endpoint)),
      database_(open_database(config_, endpoint)),
      replays_(open_replays(config_, endpoint)),
      proofs_(open_proofs(config_, endpoint)),
      keys_(config_.keys, key_use(endpoint, config_.settings), endpoint.seal,
            reads_factor_key(endpoint, config_.settings.login)),
      pages_(endpoint.pages ? endpoint.pages(config_.templates, config_.settings, parsing) : nullptr),
      password_list_(open_list(endpoint, config_.settings.login)),
      authorities_(read_authorities(endpoint, config_.settings)),
      mail_wake_(open_mail_wake(config_, endpoint)),
      logout_wake_(open_logout_wake(config_, endpoint)) {
    check_signing_keys(keys_, endpoint, config_.settings);
    if (database_)
        context_.emplace(oauth::Context{config_.settings, *database_, keys_, clock_, random_, log_, trail_,
                                        fetcher_.get(), password_list_.get(), mail_wake_if_open(),
                                        logout_wake_if_open(), replays_if_open(endpoint), proofs_if_open(endpoint),
                                        authorities_ ? &*authorities_ : nullptr});
}

db::Database* App::replays_if_open(const Endpoint& endpoint) {
    if (!endpoint.assertions || !config_.settings.assertions.enabled) return nullptr;
    return replays_ ? &*replays_ : &*database_;
}

db::Database* App::proofs_if_open(const Endpoint& endpoint) {
    if (!endpoint.proofs || !config_.settings.dpop) return nullptr;
    return proofs_ ? &*proofs_ : &*database_;
}

bool App::has_lost_marks() const {
    return (replays_ && db::has_moved(*replays_)) || (proofs_ && db::has_moved(*proofs_));
}

oauth::Context& App::context() {
    if (!context_) throw std::logic_error("this endpoint declared that it needs no database");
    return *context_;
}

const pages::PageBook& App::pages() const {
    if (!pages_) throw std::logic_error("this endpoint declared that it shows no pages");
    return *pages_;
}

}  // namespace postern::server
