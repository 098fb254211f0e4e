// Checks whether new passwords can be judged as the configuration demands.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "cli/doctor/findings.h"
#include "cli/output.h"
#include "factor/password_list.h"
#include "factor/password_strength.h"

namespace postern::cli {
namespace {

constexpr const char* kCheck = "passwords";
constexpr std::uint64_t kSamples = 1000;

void check_strength(Findings& findings, const oauth::LoginSettings& login) {
    if (login.password_min_strength == 0 || factor::estimates_password_strength()) return;
    findings.warning(
        kCheck, "this build was made without libzxcvbn: login.passwordMinStrength is not looked at",
        "build with libzxcvbn-dev installed and not static, or say \"login\": {\"passwordMinStrength\": 0}");
}

/// Pairs of neighbours over the whole list, and each pair with the next one.
bool is_sorted(const factor::PasswordList& list) {
    if (list.size() < 2) return true;
    const std::uint64_t pairs = list.size() - 1;
    const std::uint64_t samples = std::min(pairs, kSamples);
    factor::PasswordEntry before = list.at(0);
    for (std::uint64_t i = 0; i < samples; ++i) {
        // Without an overflow: a list has fewer entries than 2^61.
        const std::uint64_t index = pairs / samples * i + pairs % samples * i / samples;
        const factor::PasswordEntry entry = list.at(index);
        const factor::PasswordEntry next = list.at(index + 1);
        if (entry < before || next <= entry) return false;
        before = entry;
    }
    return list.at(pairs) >= before;
}

void check_list(Findings& findings, const std::string& file) {
    constexpr const char* kMakeAgain = "make it again with `postern passwords build`";
    try {
        const factor::PasswordList list(file);
        if (!is_sorted(list))
            return findings.error(kCheck, file + " is not a list in order, so passwords in it are not found",
                                  kMakeAgain);
        if (list.size() == 0) return findings.warning(kCheck, file + " has no password", kMakeAgain);
        findings.ok(kCheck, file + " has " + counted(static_cast<std::int64_t>(list.size()), "password"));
    } catch (const std::runtime_error& error) {
        findings.error(kCheck, std::string(error.what()) + "; account and recover do not start", kMakeAgain);
    }
}

}  // namespace

void check_passwords(Findings& findings, const oauth::LoginSettings& login) {
    check_strength(findings, login);
    if (login.password_blocklist) check_list(findings, *login.password_blocklist);
}

}  // namespace postern::cli
