// `postern user invite` and `postern user reset-link`: makes the link with which a user chooses a password.
#include "cli/user/user.h"

#include "cli/audit.h"
#include "cli/lookup.h"
#include "cli/mail/mail.h"
#include "cli/output.h"
#include "cli/parse_time.h"
#include "cli/user/claims.h"
#include "crypto/random.h"
#include "db/write.h"
#include "http/url.h"
#include "oauth/access_token.h"
#include "store/groups.h"
#include "store/links.h"
#include "store/users.h"
#include "util/secret.h"
#include "web/recover/paths.h"

namespace postern::cli {
namespace {

using model::LinkPurpose;
using model::User;

constexpr util::Seconds kShortest = std::chrono::minutes(5);
constexpr util::Seconds kLongest = std::chrono::days(30);
constexpr util::Seconds kInvitation = std::chrono::days(7);
constexpr util::Seconds kReset = std::chrono::hours(24);

util::Seconds lifetime_of(const std::optional<std::string>& typed, util::Seconds otherwise) {
    if (!typed) return otherwise;
    const auto lifetime = parse_duration(*typed);
    if (!lifetime || *lifetime < kShortest || *lifetime > kLongest)
        throw UsageError("--expires takes minutes, hours or days from 5m to 30d, as in 90m, 24h or 7d; not " +
                         in_quotes(*typed));
    return *lifetime;
}

/// Before anything is changed: a link that no page opens, or whose password no login asks for, must not be made.
void require_link_page(const oauth::Settings& settings) {
    if (settings.login.method == login::Method::remote_user)
        throw Refused("login.method is \"remote_user\": the web server signs users in, so no link can give a password");
    if (!settings.login.keeps_passwords())
        throw Refused(
            "login.method is \"saslauthd\": passwords are kept where saslauthd looks, so no link can give one");
    if (!settings.paths.recover)
        throw Refused(
            "paths.recover is null, so no page opens links; give it a path, or set the password with "
            "`postern user passwd`");
}

void require_enabled(const User& user) {
    if (!user.enabled)
        throw Refused("user " + in_quotes(user.username) +
                      " is disabled, and a link would do nothing; enable the user first, with `postern user enable`");
}

/// A link that is not stored yet, and what opens it.
struct NewLink {
    util::Secret token;
    model::Link link;
};

NewLink new_link(LinkPurpose purpose, util::Seconds lifetime) {
    crypto::SystemRandom random;
    NewLink made;
    made.token = util::Secret(crypto::random_token(random));
    made.link.token_hash = oauth::hash_of(made.token.reveal());
    made.link.purpose = purpose;
    made.link.made_by = caller_name();
    made.link.created_at = now();
    made.link.expires_at = made.link.created_at + lifetime;
    return made;
}

void note_made(const Invocation& invocation, const model::Link& link) {
    note(invocation, audit::Event::link_made,
         {{"purpose", std::string(model::to_string(link.purpose))},
          audit::subject(link.subject),
          audit::credential("link", link.token_hash),
          {"expires_at", log_time(link.expires_at)}});
}

/// The one time that the link can be seen.
void print(const Invocation& invocation, const oauth::Settings& settings, const User& user, const NewLink& made) {
    const std::string page = settings.url(settings.paths.recover.value() + web::kLinkSuffix);
    const std::string link = http::with_query(page, {{web::kLinkParameter, std::string(made.token.reveal())}});
    if (invocation.json)
        return print_json(json::Object{{"sub", user.subject.str()},
                                       {"username", user.username},
                                       {"link", link},
                                       {"expires_at", util::to_epoch(made.link.expires_at)}});
    print_fields({{"sub", user.subject.str()},
                  {"username", user.username},
                  {"link", link},
                  {"expires", to_text(made.link.expires_at)}});
    print_note("the link is shown only once, and works once; the person who has it chooses the password");
}

/// Instead of a link that is made and shown: it is made when the message is sent, by `postern mail deliver`.
void finish_mail(const Invocation& invocation, const config::Config& config, const User& user, model::MailKind kind) {
    note(invocation, audit::Event::mail_asked,
         {{"kind", std::string(model::to_string(kind))}, audit::subject(user.subject)});
    wake_deliverer(config);
    if (invocation.json)
        return print_json(json::Object{{"sub", user.subject.str()}, {"username", user.username}, {"mail", "waiting"}});
    print_fields({{"sub", user.subject.str()}, {"username", user.username}, {"mail", "waiting"}});
    print_note("`postern mail deliver` sends the link, and `postern mail list` shows what waits");
}

/// In the transaction that has the user: stores the link, or with `mail` asks for a message that brings one.
void store_link(const oauth::Settings& settings, db::Transaction& transaction, const User& user, NewLink& made,
                std::optional<model::MailKind> mail) {
    made.link.subject = user.subject;
    if (mail) {
        require_mail_address(user);
        queue_link(transaction, user, *mail, made.link.expires_at - made.link.created_at);
    } else {
        store::insert_link(transaction, made.link);
    }
    note_activity(settings, transaction, user.subject, model::ActivityKind::link_made,
                  std::string(model::to_string(made.link.purpose)));
}

/// Tells the operator, after the commit.
void tell(const Invocation& invocation, const config::Config& config, const User& user, const NewLink& made,
          std::optional<model::MailKind> mail) {
    if (mail) return finish_mail(invocation, config, user, *mail);
    note_made(invocation, made.link);
    print(invocation, config.settings, user, made);
}

struct InviteOptions {
    std::string name;
    std::vector<std::string> claims;
    bool email_verified = false;
    std::vector<std::string> groups;
    std::optional<std::string> expires;
    bool mail = false;

    bool describe_user() const { return !claims.empty() || email_verified || !groups.empty(); }
};

json::Object read_claims(const oauth::Settings& settings, const InviteOptions& options) {
    json::Object claims;
    for (const std::string& text : options.claims) set_text_claim(claims, text);
    note_unreleased_claims(settings, claims);
    if (options.email_verified) set_email_verified(claims);
    return claims;
}

/// As `user add` makes a user, but without a password.
User add_user(db::Transaction& transaction, const InviteOptions& options, const json::Object& claims) {
    User user = new_user(options.name, claims);
    if (!store::insert_user(transaction, user))
        throw Refused("the user name " + in_quotes(options.name) + " was taken a moment ago; run the command again");
    for (const std::string& group : options.groups)
        store::add_member(transaction, require_group(transaction.database(), group).name, user.subject, now());
    return user;
}

void require_no_password(db::Transaction& transaction, const User& user, const InviteOptions& options) {
    if (!store::find_password_hash(transaction.database(), user.subject).empty())
        throw Refused("user " + in_quotes(user.username) +
                      " has a password; `postern user reset-link` makes a link for another one");
    require_enabled(user);
    if (options.describe_user())
        throw Refused(
            "user " + in_quotes(user.username) +
            " is there already; change claims with `postern user set`, and groups with `postern group member`");
}

void invite(const Invocation& invocation, const InviteOptions& options) {
    const util::Seconds lifetime = lifetime_of(options.expires, kInvitation);
    const config::Config config = invocation.load_config();
    require_link_page(config.settings);
    if (options.mail) require_mail(config.settings);
    require_username(options.name);
    const json::Object claims = read_claims(config.settings, options);
    db::Database database = open_database(config, db::Access::read_write);
    const auto mail = options.mail ? std::optional(model::MailKind::invite) : std::nullopt;
    NewLink made = new_link(LinkPurpose::invite, lifetime);
    bool is_new = false;
    const User user = db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        auto there = store::find_user_by_name_to_change(transaction, options.name);
        is_new = !there;
        if (there) require_no_password(transaction, *there, options);
        User invited = there ? std::move(*there) : add_user(transaction, options, claims);
        store_link(config.settings, transaction, invited, made, mail);
        commit(transaction);
        return invited;
    });
    if (is_new) note_done(invocation, {audit::subject(user.subject)});
    tell(invocation, config, user, made, mail);
}

struct ResetOptions {
    std::string name;
    bool factors = false;
    std::optional<std::string> expires;
    bool mail = false;
};

void reset_link(const Invocation& invocation, const ResetOptions& options) {
    const util::Seconds lifetime = lifetime_of(options.expires, kReset);
    const config::Config config = invocation.load_config();
    require_link_page(config.settings);
    if (options.mail) require_mail(config.settings);
    std::optional<model::MailKind> mail;
    if (options.mail) mail = options.factors ? model::MailKind::factors : model::MailKind::password;
    db::Database database = open_database(config, db::Access::read_write);
    NewLink made = new_link(options.factors ? LinkPurpose::factors : LinkPurpose::password, lifetime);
    const User user = db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        User found = require_user(transaction, options.name);
        require_enabled(found);
        store_link(config.settings, transaction, found, made, mail);
        commit(transaction);
        return found;
    });
    tell(invocation, config, user, made, mail);
}

void add_expires_option(const Command& command, std::optional<std::string>& expires, const char* help) {
    command.option("--expires", "TIME", expires, help);
}

void add_mail_option(const Command& command, bool& mail) {
    command.flag("--mail", mail, "Send the link to the user's e-mail address instead of printing it");
}

}  // namespace

void add_user_invite_command(const Command& group, Invocation& invocation) {
    const auto [command, options] = add_command<InviteOptions>(
        group, invocation, "invite", "Print a link with which a new user chooses the first password",
        "postern user invite ada --claim name=\"Ada Lovelace\" --group staff\n"
        "  postern user invite ada --expires 2d --json",
        invite);
    command.explain(
        "The user is added without a password, or exists and has none yet. The link is printed once and works once: "
        "send it in a way that no other person can read. Another link for the same user replaces it, and `postern "
        "user passwd` or `disable` ends it.");
    command.argument("NAME", options.name, "The name that the user types at login");
    command.option("--claim", "NAME=TEXT", options.claims,
                   "One claim of a new user as text, as for `postern user add`; repeatable");
    command.flag("--email-verified", options.email_verified, kEmailVerifiedHelp);
    command.option("--group", "GROUP", options.groups, "Put the new user into this group; repeatable");
    add_expires_option(command, options.expires, "How long the link works, from 5m to 30d (default: 7d)");
    add_mail_option(command, options.mail);
}

void add_user_reset_link_command(const Command& group, Invocation& invocation) {
    const auto [command, options] = add_command<ResetOptions>(group, invocation, "reset-link",
                                                              "Print a link with which a user chooses another password",
                                                              "postern user reset-link ada\n"
                                                              "  postern user reset-link ada --factors\n"
                                                              "      when the phone is lost as well",
                                                              reset_link);
    command.explain(
        "Nothing changes until the link is used. Then the user has another password, and all of the user's sessions "
        "and tokens end. The link is printed once and works once: send it in a way that no other person can read. "
        "Another link of the same kind replaces it, and `postern user passwd` or `disable` ends it. Second factors "
        "are still required, unless --factors removes them.");
    command.argument(kUserName, options.name);
    command.flag("--factors", options.factors,
                 "The link also removes the app, the recovery codes and the passkeys of the user");
    add_expires_option(command, options.expires, "How long the link works, from 5m to 30d (default: 24h)");
    add_mail_option(command, options.mail);
}

}  // namespace postern::cli
