// Decides how much each way to log in adds to a login.
#include "model/authentication.h"

#include <algorithm>
#include <array>

#include "util/text.h"

namespace postern::model {
namespace {

/// In the order in which they are told.
constexpr std::array<std::string_view, 5> kMethods = {"pwd", "otp", "pop", "user", "mfa"};

std::string with_methods(std::string_view amr, const std::vector<std::string>& added) {
    const std::vector<std::string> done = methods_of(amr);
    std::string all;
    for (const std::string_view method : kMethods)
        if (std::ranges::find(done, method) != done.end() || std::ranges::find(added, method) != added.end())
            all.append(all.empty() ? "" : " ").append(method);
    return all;
}

}  // namespace

Authentication by_password() { return {Level::password, "pwd"}; }

Authentication with_code(const Authentication& done) {
    return {std::max(done.level, Level::second_factor), with_methods(done.amr, {"otp", "mfa"})};
}

Authentication by_passkey() { return with_passkey({}); }

Authentication with_passkey(const Authentication& done) {
    return {Level::phishing_resistant, with_methods(done.amr, {"pop", "user", "mfa"})};
}

std::vector<std::string> methods_of(std::string_view amr) {
    std::vector<std::string> methods;
    if (amr.empty()) return methods;
    for (const std::string_view word : util::split(amr, ' ')) methods.emplace_back(word);
    return methods;
}

}  // namespace postern::model
