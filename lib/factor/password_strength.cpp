// Estimates by libzxcvbn: the only file that is compiled with it.
#include "factor/password_quality.h"

#ifdef POSTERN_ZXCVBN

#include <zxcvbn.h>

#include "util/secret.h"

namespace postern::factor {

std::optional<double> password_strength(std::string_view password, const std::vector<std::string>& words) {
    std::vector<const char*> dictionary;
    dictionary.reserve(words.size() + 1);
    for (const std::string& word : words) dictionary.push_back(word.c_str());
    dictionary.push_back(nullptr);
    std::string phrase(password);  // ended by NUL, as the library wants it
    const double bits = ::ZxcvbnMatch(phrase.c_str(), dictionary.data(), nullptr);
    util::wipe(phrase);
    return bits;
}

bool estimates_password_strength() { return true; }

}  // namespace postern::factor

#else

namespace postern::factor {

std::optional<double> password_strength(std::string_view, const std::vector<std::string>&) { return std::nullopt; }

bool estimates_password_strength() { return false; }

}  // namespace postern::factor

#endif
