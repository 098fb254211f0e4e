// Checks database, keys, templates and clock by using them as the endpoints do.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/doctor/findings.h"
#include "cli/files.h"
#include "cli/key/key.h"
#include "cli/output.h"
#include "crypto/seal.h"
#include "db/error.h"
#include "factor/totp.h"
#include "factor/typed_code.h"
#include "keys/keys.h"
#include "pages/branding.h"
#include "pages/page.h"
#include "pages/template_text.h"
#include "store/factors.h"
#include "util/shell_command.h"
#include "web/account/page.h"
#include "web/recover/page.h"
#include "web/recover/paths.h"

namespace postern::cli {
namespace {

// Older than this program, so a clock that is earlier is wrong.
constexpr util::Time kEarliest{util::Seconds{1767225600}};  // 2026-01-01
constexpr util::Seconds kTolerance{60};

/// A private key is a risk while it exists, so a retired key should be deleted when its public half is not needed.
void check_retired_keys(Findings& findings, const config::Config& config, util::Time now) {
    for (const keys::KeyInfo& key : keys::Keys::list(config.keys, now)) {
        if (key.state != keys::KeyState::retired || now < last_token_expires(key, config.settings)) continue;
        findings.warning("keys", "everything that the retired key " + key.kid + " signed has expired",
                         util::ShellCommand("postern key retire").value(key.kid).text());
    }
}

bool can_read(const std::filesystem::path& file) { return faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) == 0; }

/// The key files that this user is meant to open: all of them, unless groups divide the keys.
struct Reach {
    bool signing_keys = true;
    bool seal = true;
    bool factors = true;
};
Reach reach_of(const std::string& directory) {
    if (!key_groups(directory)) return {};
    const auto files = private_files(directory);
    const auto opens = [&](const std::string& suffix) {
        return std::ranges::any_of(files,
                                   [&](const auto& file) { return file.string().ends_with(suffix) && can_read(file); });
    };
    const bool has_factor_key =
        std::ranges::any_of(files, [](const auto& file) { return file.filename() == "factor.key"; });
    return {
        .signing_keys = opens(".pem"), .seal = opens("/seal.key"), .factors = !has_factor_key || opens("/factor.key")};
}

constexpr std::int64_t kSample = 5;

std::string restore_factor_key(const config::Config& config) {
    return "restore " + config.keys + "/factor.key from a backup, then restart login and account; without one, ";
}

/// The secrets of apps that are looked at: factor.key may be that of another database, or a row may be damaged.
void check_apps(Findings& findings, const config::Config& config, db::Database& database, const keys::Keys& keys) {
    const auto sample = store::list_totp(database, model::Subject(""), kSample);
    const auto opens = [&](const store::OwnedTotp& row) {
        const auto& [subject, totp] = row;
        return factor::open_totp_secret(keys.factor_key(), subject, totp.created_at, totp.sealed).has_value();
    };
    const auto closed = std::ranges::find_if_not(sample, opens);
    if (closed == sample.end()) return;
    const bool opens_none = std::ranges::none_of(sample, opens);
    findings.error("factors",
                   "factor.key does not open the app's secret of user " + closed->subject.str() +
                       (opens_none ? ", nor of any user who was looked at: it is the key of another database" : ""),
                   restore_factor_key(config) + "`postern user factors NAME --remove all` for each user of one");
}

/// Each recovery code tells under which key it was made.
void check_codes(Findings& findings, const config::Config& config, db::Database& database, const keys::Keys& keys) {
    auto row = database.query(
        "SELECT count(DISTINCT subject), count(DISTINCT CASE WHEN substr(code_hash, 1, 17) <> $1 THEN subject END)"
        " FROM recovery_codes WHERE used_at IS NULL",
        factor::code_key_name(keys.factor_key()));
    std::int64_t users = 0;
    std::int64_t with_dead = 0;
    if (row.step()) row >> users >> with_dead;
    if (with_dead == 0) return;
    findings.add({.check = "factors",
                  .state = with_dead == users ? State::error : State::warning,
                  .detail = "the recovery codes of " + counted(with_dead, "user") +
                            " were made under another factor.key and do not work" +
                            (with_dead == users ? ": it is the key of another database" : ""),
                  .fix = restore_factor_key(config) + "let these users make new codes"});
}

/// Finds apps and recovery codes that factor.key does not open.
void check_made(Findings& findings, const config::Config& config, const keys::Keys& keys) {
    // To open a database makes its write lock's file, and that it is missing is for check_database to say.
    if (!db::is_uri(config.database) && !std::filesystem::exists(config.database + ".gate")) return;
    try {
        db::Database database = open_database(config, db::Access::query_only);
        check_apps(findings, config, database, keys);
        check_codes(findings, config, database, keys);
    } catch (const db::StoreError&) {  // check_database has said it
    }
}

/// The endpoints start without it, and then no user has a second factor.
void check_factor_key(Findings& findings, const config::Config& config, const keys::Keys& keys) {
    const login::Settings& login = config.settings.login;
    if (!login.has_levels() || login.second_factor == login::SecondFactor::off) return;
    if (keys.has_factor_key()) {
        if (!crypto::parse_factor_keys(keys.factor_key()).previous.empty())
            findings.warning("factors",
                             "a rotation of factor.key has not ended, and the former key still opens what it sealed",
                             "postern key rotate --factors");
        return check_made(findings, config, keys);
    }
    const char* fix = "restore it from a backup, or run `postern key repair`; then restart login and account";
    const std::string what = config.keys + "/factor.key is missing, so that no second factor can be set up or checked";
    if (login.second_factor == login::SecondFactor::required)
        findings.error("factors", what, fix);
    else
        findings.warning("factors", what, fix);
}

void check_keys(Findings& findings, const config::Config& config, util::Time now) {
    try {
        const Reach reach = reach_of(config.keys);
        const auto use = reach.signing_keys ? keys::KeyUse::sign : keys::KeyUse::verify;
        const keys::Keys keys(config.keys, use, reach.seal, reach.factors);
        if (reach.signing_keys) {
            for (const crypto::Algorithm algorithm : algorithms_in_use(config.settings)) {
                const auto& key = keys.signing_key(algorithm, now);
                findings.ok("keys", std::string(crypto::to_string(algorithm)) + " signs with " + key.kid);
            }
        } else {
            findings.ok("keys",
                        "this user may not read the signing keys, as intended; only root, the user of the token "
                        "endpoint and that of logout tokens can test them");
        }
        check_retired_keys(findings, config, now);
        if (reach.factors) check_factor_key(findings, config, keys);
    } catch (const std::exception& error) {  // KeyError, or CryptoError for a key that cannot be used
        findings.error("keys", error.what(), kAsSaid);
    }
}

/// An operator's own page may be older than these clients, and would leave out that they are not checked.
void check_consent_page(Findings& findings, const config::Config& config) {
    const oauth::Settings& settings = config.settings;
    const bool is_open = settings.registration.mode == oauth::RegistrationMode::open;
    if (!settings.client_documents.enabled && !is_open) return;
    const std::string page = pages::read_template_file(config.templates + "/consent.html");
    if (settings.client_documents.enabled && page.find("{{published_at}}") == std::string::npos)
        findings.error("templates",
                       "consent.html does not say who publishes an application that nothing but a document describes",
                       "copy the section {{#unchecked}} from the shipped consent.html, or switch clientDocuments off");
    if (is_open && page.find("{{#registered_itself}}") == std::string::npos)
        findings.error("templates",
                       "consent.html does not say that an application has registered itself without a token",
                       "copy the section {{#unchecked}} from the shipped consent.html, or let registration.mode be "
                       "\"token\"");
}

/// An operator's own page may be older than frames, and then tells no application and goes nowhere.
void check_logged_out_page(Findings& findings, const config::Config& config) {
    if (!config.settings.frontchannel_logout) return;
    const std::string page = pages::read_template_file(config.templates + "/logged_out.html");
    if (page.find("{{#frames}}") != std::string::npos && page.find("{{#goes_on}}") != std::string::npos) return;
    findings.error("templates",
                   "logged_out.html has no frames that tell applications of a logout, or does not go on behind them",
                   "copy the sections {{#frames}} and {{#goes_on}} from the shipped logged_out.html, or remove "
                   "frontchannelLogout");
}

/// Calls `read` for the templates of an optional program. An operator's own directory may be older than they are.
template <class Read>
void check_pages_of(Findings& findings, const std::string& program, const pages::PageBook& book, Read read) {
    try {
        read(book.templates());
    } catch (const std::exception& error) {
        findings.warning("templates", "the " + program + " program does not start: " + error.what(),
                         "copy the file from the shipped templates, or set \"paths\": {\"" + program + "\": null}");
    }
}

/// A copy in an operator's own directory is not replaced with the programs, and a text that it lacks is shown in
/// English.
void check_catalogue(Findings& findings, const config::Config& config, const text::Languages& languages) {
    const auto messages = languages.messages();
    if (!messages || *messages == POSTERN_MESSAGES) return;
    findings.warning("templates",
                     config.templates +
                         "/languages.mo was made for the texts of another release: those that it lacks are in English",
                     "copy languages.mo from the shipped templates");
}

void check_templates(Findings& findings, const config::Config& config) {
    try {
        const auto book = pages::read_pages(config.templates, config.settings);
        check_consent_page(findings, config);
        check_logged_out_page(findings, config);
        if (config.settings.paths.account) check_pages_of(findings, "account", *book, web::read_account_pages);
        if (!web::recover_paths(config.settings).empty())
            check_pages_of(findings, "recover", *book, web::read_recover_pages);
        check_catalogue(findings, config, *book->languages());
        for (const std::string& warning : book->languages()->warnings())
            findings.warning("templates", warning, "correct the catalogue, or remove it: its words are not used");
        for (const std::string& lack : pages::find_unbranded(config.templates, config.settings.branding))
            findings.warning("branding", lack, "copy what is missing from the shipped templates");
        findings.ok_unless_found("templates", config.templates);
    } catch (const std::exception& error) {
        findings.error("templates", error.what(),
                       "correct the file, or set \"templates\" in the configuration to the installed directory");
    }
}

/// With a clock that is behind, new tokens are invalid elsewhere and expired ones are valid again.
void check_clock(Findings& findings, const std::string& config_path, const config::Config& config, util::Time now) {
    auto files = data_files(config);
    files.emplace_back(config_path);
    util::Time newest{};
    std::string name;
    for (const auto& file : files) {
        struct stat status {};
        if (stat(file.c_str(), &status) != 0 || util::from_epoch(status.st_mtime) <= newest) continue;
        newest = util::from_epoch(status.st_mtime);
        name = file.string();
    }
    const char* fix = "set the clock, preferably with NTP (`timedatectl set-ntp true`)";
    if (now < kEarliest) {
        findings.error("clock", "the clock says " + to_text(now) + ", which is before this program was built", fix);
    } else if (newest > now + kTolerance) {
        findings.error("clock",
                       "the clock says " + to_text(now) + ", but " + name + " was written at " + to_text(newest), fix);
    }
    findings.ok_unless_found("clock", to_text(now));
}

}  // namespace

void check_contents(Findings& findings, const std::string& config_path, const config::Config& config) {
    const util::Time now = util::SystemClock().now();
    check_database(findings, config, now);
    check_room_for_files(findings, config);
    check_keys(findings, config, now);
    check_shared_keys(findings, config);
    check_templates(findings, config);
    check_clock(findings, config_path, config, now);
}

}  // namespace postern::cli
