// Decides what of a signing key is shown, and under which names.
#include "key_view.h"

#include "key_rules.h"
#include "output.h"

namespace postern::cli {
namespace {

const char* to_string(store::KeyState state) {
    switch (state) {
        case store::KeyState::next:
            return "next";
        case store::KeyState::active:
            return "active";
        case store::KeyState::retired:
            break;
    }
    return "retired";
}

}  // namespace

json::Object to_json(const store::KeyInfo& key, const oauth::Settings& settings) {
    json::Object object{{"kid", key.kid},
                        {"alg", std::string(crypto::to_string(key.algorithm))},
                        {"state", to_string(key.state)},
                        {"signs_from", util::to_epoch(key.signs_from)}};
    if (key.state == store::KeyState::retired)
        object.set("needed_until", util::to_epoch(last_token_expires(key, settings)));
    return object;
}

void print_keys(const std::vector<store::KeyInfo>& keys, const oauth::Settings& settings) {
    std::vector<std::vector<std::string>> rows;
    for (const store::KeyInfo& key : keys) {
        const bool retired = key.state == store::KeyState::retired;
        rows.push_back({key.kid, std::string(crypto::to_string(key.algorithm)), to_string(key.state),
                        key.signs_from == util::Time{} ? "unknown" : to_text(key.signs_from),
                        retired ? to_text(last_token_expires(key, settings)) : ""});
    }
    print_table({"KID", "ALG", "STATE", "SIGNS_FROM", "NEEDED_UNTIL"}, rows);
}

}  // namespace postern::cli
