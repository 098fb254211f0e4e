// Finds or creates the user of a name that something else than Postern has checked.
#include "login/find_or_create_user.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "crypto/digest.h"
#include "crypto/random.h"
#include "model/user.h"
#include "store/login_attempts.h"
#include "store/users.h"
#include "util/text.h"

namespace postern::login {

namespace {

/// The life of the row with which logins of names that differ in their case wait for each other.
constexpr util::Seconds kHeld{60};

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char character) { return static_cast<unsigned char>(character) < 0x80; });
}

/// Why no user of that name is made; nullptr when one is.
const char* why_not_made(oauth::Context& context, db::Database& database, const std::string& username) {
    const Settings& login = context.settings.login;
    if (!login.auto_create) return "there is no such user";
    if (!model::is_new_user_name(username)) return "there is no such user, and none is made of that name";
    // A directory may fold more than the case of A to Z, and nothing here can compare as it does.
    if (login.method == Method::saslauthd && !is_ascii(username))
        return "there is no such user, and none is made of a name with letters beyond ASCII: `postern user add` does";
    if (!store::find_names_like(database, username).empty())
        return "there is no such user, and none is made whose name differs from another one's in its case alone: "
               "`postern user add` does";
    return nullptr;
}

std::optional<FoundUser> find_and_describe(oauth::Context& context, db::Transaction& transaction,
                                           const std::string& username,
                                           const std::function<bool(model::User&)>& describe) {
    auto user = store::find_user_by_name_to_change(transaction, username);
    if (!user) return std::nullopt;
    const bool is_changed = user->enabled && describe(*user);
    if (is_changed) {
        user->updated_at = context.now();
        store::update_claims(transaction, *user);
    }
    return FoundUser{.user = std::move(*user), .changed = is_changed};
}

}  // namespace

util::Result<FoundUser, std::string> find_or_create_user(oauth::Context& context, db::Transaction& transaction,
                                                         const std::string& username,
                                                         const std::function<bool(model::User&)>& describe) {
    if (auto found = find_and_describe(context, transaction, username, describe)) return std::move(*found);
    if (context.settings.login.auto_create) {
        store::hold_key(transaction, std::string(store::kNewName) + crypto::sha256_hex(util::to_lower(username)),
                        context.now() + kHeld);
        if (auto found = find_and_describe(context, transaction, username, describe))
            return std::move(*found);  // just made
    }
    if (const char* why = why_not_made(context, transaction.database(), username)) return std::string(why);
    model::User made;
    made.subject = model::Subject(crypto::random_id(context.random));
    made.username = username;
    made.created_at = made.updated_at = context.now();
    describe(made);
    if (!store::insert_user(transaction, made)) return std::string("another process has just made that user");
    return FoundUser{.user = std::move(made), .made = true};
}

}  // namespace postern::login
