// Decides whether a password matches a crypt(5) hash, at the same cost whether or not the user exists.
#include "crypto/password.h"

#include <crypt.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>

#include "crypto/digest.h"
#include "crypto/error.h"

namespace postern::crypto {

namespace {

constexpr const char* kPrefix = "$y$";
constexpr unsigned long kCost = 5;  ///< "j9T": N=4096, r=32
/// A setting of the same cost as `kPrefix` and `kCost` make: what is computed for a user that there is not.
constexpr const char* kNoUserSetting = "$y$j9T$postern.nobody.at.all1$";

/// crypt(3) knows many more, DES and MD5 among them; a hash of those in the database is a mistake and matches nothing.
constexpr std::array<std::string_view, 4> kSupported = {"$y$", "$2b$", "$2y$", "$6$"};

/// The password as crypt(3) wants it: ended by NUL. Wiped.
class Phrase {
public:
    explicit Phrase(std::string_view password) { password.copy(bytes_.data(), kMaxPasswordBytes); }
    ~Phrase() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }
    Phrase(const Phrase&) = delete;
    Phrase& operator=(const Phrase&) = delete;
    const char* c_str() const { return bytes_.data(); }

private:
    std::array<char, kMaxPasswordBytes + 1> bytes_{};
};

/// The 32 KiB that crypt_ra allocates hold the password and what was derived from it.
class WorkArea {
public:
    WorkArea() = default;
    ~WorkArea() {
        if (data_ != nullptr) OPENSSL_cleanse(data_, static_cast<std::size_t>(size_));
        std::free(data_);
    }
    WorkArea(const WorkArea&) = delete;
    WorkArea& operator=(const WorkArea&) = delete;

    /// nullopt when crypt refuses the setting; its failure tokens ("*0", "*1") never leave here.
    std::optional<std::string> hash(const Phrase& phrase, const char* setting) {
        const char* result = crypt_ra(phrase.c_str(), setting, &data_, &size_);
        if (result == nullptr || result[0] == '*') return std::nullopt;
        return std::string(result);
    }

private:
    void* data_ = nullptr;
    int size_ = 0;
};

bool is_supported(std::string_view hash) {
    return std::any_of(kSupported.begin(), kSupported.end(),
                       [hash](std::string_view prefix) { return hash.substr(0, prefix.size()) == prefix; });
}

}  // namespace

PasswordFault check_password(std::string_view password) {
    if (password.empty()) return PasswordFault::empty;
    if (password.size() > kMaxPasswordBytes) return PasswordFault::too_long;
    if (password.find('\0') != std::string_view::npos) return PasswordFault::has_nul;
    return PasswordFault::none;
}

std::string hash_password(const util::Secret& password) {
    if (check_password(password.reveal()) != PasswordFault::none) throw CryptoError("this password cannot be hashed");
    struct Free {
        void operator()(char* text) const { std::free(text); }
    };
    // No bytes of ours: libxcrypt takes the salt from the system's random source.
    const std::unique_ptr<char, Free> setting(crypt_gensalt_ra(kPrefix, kCost, nullptr, 0));
    if (setting == nullptr) throw CryptoError("crypt makes no salt");
    const auto hash = WorkArea().hash(Phrase(password.reveal()), setting.get());
    if (!hash) throw CryptoError("crypt makes no hash");
    return *hash;
}

bool verify_password(const util::Secret& password, const std::string& hash) {
    if (check_password(password.reveal()) != PasswordFault::none || !is_supported(hash)) return false;
    const auto computed = WorkArea().hash(Phrase(password.reveal()), hash.c_str());
    return computed && equal_constant_time(*computed, hash);
}

void verify_nothing(const util::Secret& password, const std::string& like) {
    // A hash without its last part is a setting: crypt does all of its work and the comparison fails.
    static_cast<void>(verify_password(password, like.empty() ? kNoUserSetting : like));
}

}  // namespace postern::crypto
