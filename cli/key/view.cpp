// Prints signing keys: which members, and under which names.
#include "cli/key/view.h"

#include "cli/key/rules.h"
#include "cli/output.h"

namespace postern::cli {
namespace {

const char* to_string(keys::KeyState state) {
    switch (state) {
        case keys::KeyState::next:
            return "next";
        case keys::KeyState::active:
            return "active";
        case keys::KeyState::retired:
            break;
    }
    return "retired";
}

}  // namespace

json::Object to_json(const keys::KeyInfo& key, const oauth::Settings& settings) {
    json::Object object{{"kid", key.kid},
                        {"alg", std::string(crypto::to_string(key.algorithm))},
                        {"state", to_string(key.state)},
                        {"signs_from", util::to_epoch(key.signs_from)}};
    if (key.state == keys::KeyState::retired)
        object.set("needed_until", util::to_epoch(last_token_expires(key, settings)));
    return object;
}

void print_keys(const std::vector<keys::KeyInfo>& keys, const oauth::Settings& settings) {
    std::vector<std::vector<std::string>> rows;
    for (const keys::KeyInfo& key : keys) {
        const bool retired = key.state == keys::KeyState::retired;
        rows.push_back({key.kid, std::string(crypto::to_string(key.algorithm)), to_string(key.state),
                        key.signs_from == util::Time{} ? "unknown" : to_text(key.signs_from),
                        retired ? to_text(last_token_expires(key, settings)) : ""});
    }
    print_table({"KID", "ALG", "STATE", "SIGNS_FROM", "NEEDED_UNTIL"}, rows);
}

}  // namespace postern::cli
