// The resources of one process of one endpoint: opened once, lent to the handler for every request.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "crypto/certificate.h"
#include "crypto/random.h"
#include "db/database.h"
#include "keys/keys.h"
#include "oauth/context.h"
#include "os/file.h"
#include "pages/page.h"
#include "server/endpoint.h"
#include "util/clock.h"
#include "util/log.h"

namespace postern::server {

class App {
public:
    /// Opens what the endpoint declared, nothing else. Throws what the parts throw: StoreUnusable, KeyError,
    /// std::runtime_error for templates, std::system_error for the log.
    App(config::Config config, const Endpoint& endpoint, pages::Parsing parsing = pages::Parsing::at_once);
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    /// Returns the context for everything in oauth/ and above. Throws std::logic_error when the endpoint declared
    /// StoreUse::none.
    oauth::Context& context();
    /// Returns the pages. Throws std::logic_error when the endpoint declared none.
    const pages::PageBook& pages() const;
    const oauth::Settings& settings() const { return config_.settings; }
    const config::Config& config() const { return config_; }
    keys::Keys& keys() { return keys_; }
    const util::Log& log() const { return log_; }
    const util::Clock& clock() const { return clock_; }
    crypto::Random& random() { return random_; }
    audit::Trail& trail() { return trail_; }

    /// Returns a part for the server itself: nullptr when the endpoint did not declare it.
    db::Database* database_if_open() { return database_ ? &*database_ : nullptr; }
    const pages::PageBook* pages_if_read() const { return pages_.get(); }
    os::WakeFile* mail_wake_if_open() { return mail_wake_ ? &*mail_wake_ : nullptr; }
    os::WakeFile* logout_wake_if_open() { return logout_wake_ ? &*logout_wake_ : nullptr; }
    const fetch::Fetcher* fetcher_if_started() const { return fetcher_.get(); }
    /// Returns true where a file of marks that this process has open was made anew by another.
    bool has_lost_marks() const;

private:
    db::Database* replays_if_open(const Endpoint& endpoint);
    db::Database* proofs_if_open(const Endpoint& endpoint);

    const config::Config config_;
    util::Log log_;
    util::SystemClock clock_;
    crypto::SystemRandom random_;
    audit::Trail trail_;
    const std::unique_ptr<fetch::Fetcher> fetcher_;  ///< before the database and the keys: its child has neither
    std::optional<db::Database> database_;
    std::optional<db::Database> replays_;  ///< where they are not in `database_`
    std::optional<db::Database> proofs_;   ///< likewise
    keys::Keys keys_;
    std::unique_ptr<const pages::PageBook> pages_;
    const std::unique_ptr<const factor::PasswordList> password_list_;
    const std::optional<crypto::Authorities> authorities_;
    std::optional<os::WakeFile> mail_wake_;
    std::optional<os::WakeFile> logout_wake_;
    std::optional<oauth::Context> context_;  ///< borrows the members above
};

}  // namespace postern::server
