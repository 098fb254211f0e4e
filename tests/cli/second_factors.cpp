#include "second_factors.h"

#include "factor/recovery_code.h"
#include "factor/totp.h"
#include "keys/keys.h"
#include "store/factors.h"

namespace postern::test {

model::Subject put_app(const Installation& installation, const std::string& name) {
    model::Subject subject(
        text_of(installation.must_json({"user", "add", name, "--password-stdin"}, "quiet boats remember\n"), "sub"));
    const keys::Keys keys(installation.keys_directory(), keys::KeyUse::verify, false, true);
    crypto::SystemRandom random;
    const util::Time now = util::SystemClock().now();
    auto database = installation.open();
    db::Transaction transaction(database, db::Durability::full);
    store::replace_totp(
        transaction, subject,
        factor::seal_totp_secret(keys.factor_key(), subject, now, factor::make_totp_secret(random), random), 1, now);
    transaction.commit();
    return subject;
}

void put_codes(const Installation& installation, const std::string& name) {
    const model::Subject subject(
        text_of(installation.must_json({"user", "add", name, "--password-stdin"}, "quiet boats remember\n"), "sub"));
    const keys::Keys keys(installation.keys_directory(), keys::KeyUse::verify, false, true);
    auto database = installation.open();
    db::Transaction transaction(database, db::Durability::full);
    store::replace_recovery_codes(transaction, subject,
                                  {factor::recovery_code_hash(keys.factor_key(), subject, "1234567890123456")},
                                  util::SystemClock().now());
    transaction.commit();
}

void put_passkey(db::Transaction& transaction, const model::Subject& subject, const std::string& credential_id,
                 const std::string& rp_id) {
    store::Passkey passkey;
    passkey.credential_id = credential_id;
    passkey.subject = subject;
    passkey.rp_id = rp_id;
    passkey.name = "Key " + credential_id;
    passkey.created_at = util::SystemClock().now();
    store::insert_passkey(transaction, passkey);
}

}  // namespace postern::test
