// The key directory: `ALG.SIGNS_FROM.KID.pem` (private), `jwks.json` (public), `seal.key`, `factor.key`.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crypto/key.h"
#include "jose/jwk.h"
#include "jose/jws.h"
#include "keys/key_error.h"
#include "util/clock.h"
#include "util/secret.h"

namespace postern::os {
class NewFiles;
}

namespace postern::keys {

struct SigningKey {
    std::string kid;
    util::Time signs_from{};
    crypto::PrivateKey key;
};

enum class KeyUse {
    publish,  ///< jwks.json only
    verify,   ///< jwks.json, as a Verifier
    sign,     ///< private keys too
};

enum class KeyState { next, active, retired };
struct KeyInfo {
    std::string kid;
    crypto::Algorithm algorithm{};
    KeyState state{};
    util::Time signs_from{};
    std::optional<util::Time> signs_until;  ///< when its successor begins; nullopt: none is there
};

class Keys {
public:
    /// Reads what `use` needs, seal.key when `with_seal`, and factor.key when `with_factors` and it is there. Refuses
    /// private files that are readable by others or not regular, and a private key whose public half is not published.
    /// Opens nothing it does not need.
    Keys(std::string directory, KeyUse use, bool with_seal, bool with_factors = false);

    /// Looks at jwks.json (one stat) and reads everything again when it has changed. Called once per request.
    void reload_if_changed();

    const jose::JwkSet& published() const { return published_; }
    /// Returns the version of the jwks.json that `published` comes from.
    const FileVersion& version() const { return version_; }
    jose::Verifier& verifier();  ///< throws KeyError when opened for publish
    /// Returns the newest key of the algorithm that signs at `now`. Throws KeyError when there is none.
    const SigningKey& signing_key(crypto::Algorithm algorithm, util::Time now) const;
    /// Throws KeyError when there is no private key of the algorithm, active or not. A process that signs calls it once
    /// at its start.
    void check_signing_key(crypto::Algorithm algorithm) const;
    const util::Secret& seal_key() const;
    /// Returns whether second factors can be enrolled and checked: factor.key was there and was to be read.
    bool has_factor_key() const { return !factor_key_.empty(); }
    /// Throws db::StoreError, which is answered 503, when factor.key is missing: without it no second factor can be
    /// checked.
    const util::Secret& factor_key() const;

    /// Makes the content of the directory for `postern init` and notes it in `made`; refuses to replace anything.
    /// `private_mode` is the mode of the signing keys and of seal.key.
    static void create(os::NewFiles& made, const std::string& directory,
                       const std::vector<crypto::Algorithm>& algorithms, util::Time now, mode_t private_mode = 0640);
    /// Creates a whole directory or nothing.
    static void create(const std::string& directory, const std::vector<crypto::Algorithm>& algorithms, util::Time now);
    /// Returns the keys for `postern key list`, by algorithm and time.
    static std::vector<KeyInfo> list(const std::string& directory, util::Time now);

private:
    void load();
    void read_all();
    std::string directory_;
    std::string published_path_;
    KeyUse use_;
    bool with_seal_;
    bool with_factors_;
    FileVersion version_;
    jose::JwkSet published_;
    std::unique_ptr<jose::Verifier> verifier_;
    std::vector<SigningKey> signing_;
    util::Secret seal_key_;
    util::Secret factor_key_;
};

}  // namespace postern::keys
