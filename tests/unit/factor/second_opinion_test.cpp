// libfido2, which shares no code with ours but OpenSSL, reads what we accept: of changed answers, too.
#include <doctest/doctest.h>
#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>

#include <memory>
#include <random>
#include <string>

#include "crypto/digest.h"
#include "factor/authenticator_data.h"
#include "factor/passkey.h"
#include "support/test_authenticator.h"

using namespace postern;
using namespace postern::test;
using crypto::Algorithm;

namespace {

constexpr int kRounds = 3000;
const std::string kChallenge(32, 'c');
const factor::Expected kGiven{.challenge = kChallenge, .origin = "https://id.example.org", .rp_id = "example.org"};
const Algorithm kAll[] = {Algorithm::ES256, Algorithm::EdDSA, Algorithm::RS256};

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

struct CredentialDeleter {
    void operator()(fido_cred_t* credential) const { fido_cred_free(&credential); }
};
using Credential = std::unique_ptr<fido_cred_t, CredentialDeleter>;

/// Null when libfido2 does not read it.
Credential read(Algorithm algorithm, std::string_view data, const std::string& client_data) {
    Credential credential(fido_cred_new());
    const std::string hash = crypto::sha256(client_data);
    REQUIRE(fido_cred_set_type(credential.get(), static_cast<int>(factor::cose_algorithm(algorithm))) == FIDO_OK);
    REQUIRE(fido_cred_set_rp(credential.get(), "example.org", nullptr) == FIDO_OK);
    REQUIRE(fido_cred_set_fmt(credential.get(), "packed") == FIDO_OK);
    REQUIRE(fido_cred_set_clientdata_hash(credential.get(), bytes(hash), hash.size()) == FIDO_OK);
    return fido_cred_set_authdata_raw(credential.get(), bytes(data), data.size()) == FIDO_OK ? std::move(credential)
                                                                                             : nullptr;
}

/// The key of a registration, as libfido2 has read it.
class Key {
public:
    Key(Algorithm algorithm, const fido_cred_t* from) : algorithm_(algorithm) {
        const void* pointer = fido_cred_pubkey_ptr(from);
        const std::size_t size = fido_cred_pubkey_len(from);
        REQUIRE(es256_);
        const int made = algorithm == Algorithm::ES256   ? es256_pk_from_ptr(es256_.get(), pointer, size)
                         : algorithm == Algorithm::EdDSA ? eddsa_pk_from_ptr(eddsa_.get(), pointer, size)
                                                         : rs256_pk_from_ptr(rs256_.get(), pointer, size);
        REQUIRE(made == FIDO_OK);
    }

    bool verifies(const Assertion& made) const {
        fido_assert_t* assertion = fido_assert_new();
        const std::string hash = crypto::sha256(made.client_data);
        const bool is_good =
            fido_assert_set_rp(assertion, "example.org") == FIDO_OK &&
            fido_assert_set_clientdata_hash(assertion, bytes(hash), hash.size()) == FIDO_OK &&
            fido_assert_set_count(assertion, 1) == FIDO_OK &&
            fido_assert_set_authdata_raw(assertion, 0, bytes(made.authenticator_data),
                                         made.authenticator_data.size()) == FIDO_OK &&
            fido_assert_set_sig(assertion, 0, bytes(made.signature), made.signature.size()) == FIDO_OK &&
            fido_assert_set_up(assertion, FIDO_OPT_TRUE) == FIDO_OK &&
            fido_assert_verify(assertion, 0, static_cast<int>(factor::cose_algorithm(algorithm_)), key()) == FIDO_OK;
        fido_assert_free(&assertion);
        return is_good;
    }

private:
    const void* key() const {
        if (algorithm_ == Algorithm::ES256) return es256_.get();
        return algorithm_ == Algorithm::EdDSA ? static_cast<const void*>(eddsa_.get()) : rs256_.get();
    }

    template <auto Free>
    struct Deleter {
        template <class T>
        void operator()(T* pointer) const {
            Free(&pointer);
        }
    };
    Algorithm algorithm_;
    std::unique_ptr<es256_pk_t, Deleter<es256_pk_free>> es256_{es256_pk_new()};
    std::unique_ptr<eddsa_pk_t, Deleter<eddsa_pk_free>> eddsa_{eddsa_pk_new()};
    std::unique_ptr<rs256_pk_t, Deleter<rs256_pk_free>> rs256_{rs256_pk_new()};
};

/// The same changes in every run: a byte changed, taken out, put in or doubled, at one to three places from `first` on.
std::string changed(std::string text, std::mt19937& random, std::size_t first) {
    const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
    for (std::size_t left = 1 + below(3); left > 0; --left) {
        const std::size_t at = first + below(text.size() - first);
        const auto byte = static_cast<char>(below(256));
        switch (below(5)) {
            case 0:
                text.erase(at, 1);
                break;
            case 1:
                text.insert(at, 1, byte);
                break;
            case 2:
                text[at] = static_cast<char>(text[at] ^ static_cast<char>(1U << below(8)));
                break;
            default:
                text[at] = byte;
        }
    }
    return text;
}

}  // namespace

TEST_CASE("passkeys: of changed registrations libfido2 reads each that we accept, with the same content [WEBAUTHN-6]") {
    std::mt19937 random(20261125);  // NOLINT: the same in each run
    for (const Algorithm algorithm : kAll) {
        CAPTURE(crypto::to_string(algorithm));
        const TestAuthenticator authenticator(algorithm);
        const Registration good = authenticator.make(kGiven);
        int accepted = 0;
        for (int round = 0; round < kRounds; ++round) {
            Registration made = good;
            made.authenticator_data = changed(good.authenticator_data, random, 32);
            made.attestation_object = attestation_object(made.authenticator_data);
            const auto ours = factor::verify_registration(made.response(), kGiven);
            if (!ours || ours->algorithm != algorithm) continue;
            ++accepted;
            const Credential theirs = read(algorithm, made.authenticator_data, made.client_data);
            REQUIRE(theirs);
            const std::string_view id(reinterpret_cast<const char*>(fido_cred_id_ptr(theirs.get())),
                                      fido_cred_id_len(theirs.get()));
            CHECK(id == ours->credential_id);
            CHECK(fido_cred_sigcount(theirs.get()) == ours->sign_count);
            CHECK((fido_cred_flags(theirs.get()) & kUserVerified) == (ours->user_verified ? kUserVerified : 0));
            // Signed as the format "packed" with its own key, it holds for libfido2, unless the key is a changed one.
            if (ours->cose_key != authenticator.cose_key()) continue;
            const std::string signature = authenticator.sign(made.authenticator_data, made.client_data);
            REQUIRE(fido_cred_set_sig(theirs.get(), bytes(signature), signature.size()) == FIDO_OK);
            CHECK(fido_cred_verify_self(theirs.get()) == FIDO_OK);
        }
        CHECK(accepted > kRounds / 100);
        CHECK(accepted < kRounds);
    }
}

TEST_CASE("passkeys: of changed assertions libfido2 accepts each that we accept [WEBAUTHN-13]") {
    std::mt19937 random(20261125);  // NOLINT: the same in each run
    for (const Algorithm algorithm : kAll) {
        CAPTURE(crypto::to_string(algorithm));
        TestAuthenticator authenticator(algorithm);
        const Registration registration = authenticator.make(kGiven);
        const Credential theirs = read(algorithm, registration.authenticator_data, registration.client_data);
        REQUIRE(theirs);
        const Key key(algorithm, theirs.get());
        authenticator.extensions = cbor_map({{cbor_text("uvm"), cbor_integer(2)}});
        const Assertion good = authenticator.use(kGiven);
        CHECK(key.verifies(good));
        int accepted = 0;
        for (int round = 0; round < kRounds; ++round) {
            Assertion made = good;
            // A third with changed data that are signed, a third with a changed signature, a third with changed data.
            if (round % 3 != 1) made.authenticator_data = changed(good.authenticator_data, random, 32);
            if (round % 3 == 0) made.signature = authenticator.sign(made.authenticator_data, made.client_data);
            if (round % 3 == 1) made.signature = changed(good.signature, random, 0);
            if (!factor::verify_assertion(made.response(), authenticator.stored(), kGiven,
                                          factor::PasskeyRole::second_step))
                continue;
            ++accepted;
            CHECK(key.verifies(made));
        }
        CHECK(accepted > kRounds / 100);
        CHECK(accepted < kRounds / 2);
    }
}
