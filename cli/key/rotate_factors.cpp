// Decides in which order factor.key and the rows that it seals change, so that every login finds the key of its row.
#include "cli/key/key.h"

#include <iostream>
#include <thread>

#include "cli/audit.h"
#include "cli/key/sharing.h"
#include "cli/output.h"
#include "crypto/seal.h"
#include "db/write.h"
#include "factor/totp.h"
#include "factor/typed_code.h"
#include "keys/key_directory.h"
#include "store/factors.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

constexpr std::int64_t kBatch = 500;
/// A request works with the keys that were there when it began. It may write a row with the former key, or read one
/// that has just got the new key, for so long.
constexpr std::chrono::seconds kInFlight{5};

/// The result of one rotation.
struct Report {
    std::int64_t resealed = 0;
    std::vector<std::string> not_opened;  ///< subjects whose secret neither key opens
    std::int64_t codes_ended = 0;
};

util::Secret copy_of(const util::Secret& key) { return util::Secret(std::string(key.reveal())); }

/// The keys of the directory with a new first one; the same if there is a former one, because the rotation that made it
/// was cut off.
crypto::FactorKeys begin(keys::KeyDirectory& directory, bool end_codes) {
    crypto::FactorKeys keys = directory.factor_keys();
    if (keys.previous.empty()) {
        keys.previous = std::move(keys.sealing);
        keys.sealing = util::Secret(crypto::SystemRandom().bytes(crypto::kSealKeyBytes));
    }
    if (end_codes) keys.codes = copy_of(keys.sealing);
    directory.put_factor_keys(keys);
    return keys;
}

/// Returns the last subject of the batch; nullopt: there was none left.
std::optional<model::Subject> reseal_batch(db::Database& database, const util::Secret& factor_key,
                                           const model::Subject& after, Report& report) {
    crypto::SystemRandom random;
    return db::write(
        database, db::Durability::full, [&](db::Transaction& transaction) -> std::optional<model::Subject> {
            Report batch;
            const auto rows = store::list_totp(transaction.database(), after, kBatch);
            if (rows.empty()) return std::nullopt;
            for (const auto& [subject, totp] : rows) {
                const auto secret = factor::open_totp_secret(factor_key, subject, totp.created_at, totp.sealed);
                if (!secret) {
                    batch.not_opened.push_back(subject.str());
                    continue;
                }
                const bool is_same =
                    store::reseal_totp(transaction, subject, totp.sealed,
                                       factor::seal_totp_secret(factor_key, subject, totp.created_at, *secret, random));
                if (is_same)
                    ++batch.resealed;  // else the user has set up another app, which is sealed with the new key
            }
            commit(transaction);
            report.resealed += batch.resealed;
            report.not_opened.insert(report.not_opened.end(), batch.not_opened.begin(), batch.not_opened.end());
            return rows.back().subject;
        });
}

void reseal_all(db::Database& database, const util::Secret& factor_key, Report& report) {
    std::optional<model::Subject> after = model::Subject("");
    while (after) after = reseal_batch(database, factor_key, *after, report);
}

/// The codes under the new key stay, whenever they were made.
std::int64_t end_codes(db::Database& database, const std::string& key_name) {
    return db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        const std::int64_t ended = store::remove_dead_recovery_codes(transaction, key_name);
        commit(transaction);
        return ended;
    });
}

/// Unless another command has done it, or has begun another rotation.
void drop_previous(keys::KeyDirectory& directory, const crypto::FactorKeys& rotated) {
    crypto::FactorKeys keys = directory.factor_keys();
    if (keys.previous.empty() || keys.sealing.reveal() != rotated.sealing.reveal()) return;
    keys.previous = {};
    directory.put_factor_keys(keys);
}

void tell(const Invocation& invocation, const Report& report, bool has_older_codes) {
    for (const std::string& subject : report.not_opened)
        print_note("the app's secret of user " + subject + " opens with neither key; " +
                   util::ShellCommand("postern user factors --remove all").value(subject).quoted() +
                   " lets the user start again");
    if (invocation.json)
        return print_json(json::Object{{"resealed", report.resealed},
                                       {"not_opened", json::strings(report.not_opened)},
                                       {"codes_ended", report.codes_ended}});
    std::cout << "factor.key is new, and " << counted(report.resealed, "app") << " sealed with it\n";
    if (report.codes_ended > 0)
        std::cout << counted(report.codes_ended, "recovery code") << " ended; users make new ones in the account\n";
    if (has_older_codes)
        std::cout
            << "recovery codes keep their key, because they cannot be digested again; --end-codes ends them all\n";
}

}  // namespace

void rotate_factors(const Invocation& invocation, const FactorRotation& rotation) {
    const config::Config config = invocation.load_config();
    db::Database database = open_database(config, db::Access::read_write);
    std::optional<keys::KeyDirectory> directory(config.keys);
    SharedKeys shared(config, *directory);
    crypto::FactorKeys keys;
    shared.change([&] { keys = begin(*directory, rotation.end_codes); });
    note_done(invocation, {{"file", config.keys + "/factor.key"}});
    directory.reset();  // a `key sync` may run from here on
    note_closed_files(config.keys);
    if (!shared.wait_for_others(rotation.wait))
        throw Refused(
            "another node does not have the new factor.key yet, so nothing was sealed with it here; both keys are in "
            "use: run this again when `postern key sync` has run there");
    std::this_thread::sleep_for(kInFlight);

    Report first;
    reseal_all(database, crypto::to_bytes(keys), first);
    // Once more: a request that began before the new key was there may have had to wait for the database.
    std::this_thread::sleep_for(kInFlight);
    Report report;
    reseal_all(database, crypto::to_bytes(keys), report);
    // Also when the rotation that was cut off was to end them: none of before is looked for under this key.
    if (keys.codes.reveal() == keys.sealing.reveal())
        report.codes_ended = end_codes(database, factor::code_key_name(crypto::to_bytes(keys)));
    directory.emplace(config.keys);
    shared.change([&] { drop_previous(*directory, keys); });
    note_done(invocation,
              {{"file", config.keys + "/factor.key"}, {"rows", std::to_string(report.resealed + report.codes_ended)}});
    const bool has_older_codes = keys.codes.reveal() != keys.sealing.reveal() && store::has_unused_codes(database);
    tell(invocation, report, has_older_codes);
}

}  // namespace postern::cli
