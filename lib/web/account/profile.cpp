// The page of what is known about a user, and of what of it the user may change.
#include "web/account/account.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "crypto/random.h"
#include "db/write.h"
#include "http/url.h"
#include "mail/notice.h"
#include "model/mail.h"
#include "model/standard_claims.h"
#include "model/user.h"
#include "os/file.h"
#include "store/groups.h"
#include "store/mail_requests.h"
#include "store/users.h"
#include "text/mail.h"
#include "util/text.h"
#include "web/account/profile_claims.h"

namespace postern::web {
namespace {

using text::Message;
using text::tr;

constexpr std::string_view kPhone = "phone_number";
constexpr std::string_view kEmail = "email";
constexpr const char* kEdit = "edit";  // parameter of the page with the form
constexpr const char* kTooOften =
    tr("You have asked for several messages already. Change the e-mail address again in an hour or more.");

void wake(const oauth::Context& context) {
    if (context.mail_wake != nullptr) context.mail_wake->request_wake();
}

const std::vector<std::string>& editable(const AccountVisit& visit) {
    return visit.context().settings.account.editable_claims;
}

bool is_editable(const AccountVisit& visit, std::string_view name) {
    return std::ranges::find(editable(visit), name) != editable(visit).end();
}

Message label_of(std::string_view name) {
    const ProfileClaim* claim = find_profile_claim(name);
    return claim ? Message(claim->label) : Message::verbatim(std::string(name));
}

ProfilePage new_page(const AccountVisit& visit, const Message& problem) {
    ProfilePage page;
    page.frame = frame_of(visit);
    page.frame.problem = problem;
    return page;
}

/// All that is known, in the order of the claims.
http::Response list(AccountVisit& visit) {
    ProfilePage page = new_page(visit, "");
    const auto user = store::find_user(visit.context().store, visit.subject());
    if (user) {
        page.username = user->username;
        for (const auto& member : user->claims.members())
            if (Message value = shown_claim(user->claims, member.first); !value.empty())
                page.claims.push_back({label_of(member.first), std::move(value)});
    }
    page.keeper = visit.context().settings.service_name();
    page.subject = visit.subject().str();
    page.groups = store::groups_of(visit.context().store, visit.subject());
    if (!editable(visit).empty() && knows_login_time(visit))
        page.edit = http::with_query(visit.url(), {{kEdit, "yes"}});
    return visit.pages.profile(page);
}

std::string text_of(const json::Object& claims, std::string_view name) {
    const json::Value* value = claims.find(name);
    return value && value->if_string() ? *value->if_string() : "";
}

/// What the fields hold, and which one is wrong.
struct Typed {
    json::Object claims;  ///< texts; one that is empty is not there
    std::string wrong;    ///< name of the claim, or ""
    Message problem;      ///< for the user, or ""
};

http::Response form(AccountVisit& visit, const Typed& typed) {
    return visit.with_browser_id([&] {
        ProfilePage page = new_page(visit, typed.problem);
        for (const std::string& name : editable(visit)) {
            const ProfileClaim* claim = find_profile_claim(name);
            if (claim == nullptr) continue;
            page.fields.push_back({.name = name,
                                   .label = claim->label,
                                   .type = claim->type,
                                   .autocomplete = claim->autocomplete,
                                   .value = text_of(typed.claims, name),
                                   .is_data = claim->is_data,
                                   .is_wrong = name == typed.wrong});
            page.sent += (page.sent.empty() ? "" : " ") + name;
        }
        page.frame.state_parameter = kEdit;
        page.list = visit.url();
        return visit.pages.profile(page);
    });
}

http::Response refused(http::Response response, const std::string& detail) {
    response.refusal =
        http::Refusal{refusal::Reason::profile_refused, "the form of the profile was shown again", detail, ""};
    return response;
}

/// The claims that the form is about, each of which the user may change; nullopt: others too, or none.
std::optional<std::vector<std::string>> names_in(const AccountVisit& visit) {
    const auto sent = visit.request().form.find("claims");
    if (!sent) return std::nullopt;
    std::vector<std::string> names;
    for (const std::string_view name : util::split(*sent, ' ')) {
        if (!is_editable(visit, name) || std::ranges::find(names, name) != names.end()) return std::nullopt;
        names.emplace_back(name);
    }
    return names;
}

/// A field of the form that is no claim which the form is about; "": there is none. Each that could be a claim of the
/// user's is looked for.
std::string foreign_field(const AccountVisit& visit, const std::vector<std::string>& names) {
    const http::Params& form = visit.request().form;
    const auto user = store::find_user(visit.context().store, visit.subject());
    std::vector<std::string> known;
    for (const model::StandardClaim& claim : model::standard_claims()) known.emplace_back(claim.name);
    if (user)
        for (const auto& member : user->claims.members()) known.push_back(member.first);
    for (const std::string& name : known)
        if (std::ranges::find(names, name) == names.end() && (form.find(name) || form.fault_of(name))) return name;
    return "";
}

/// An empty field takes the claim away. What cannot be seen at the ends is not meant.
Typed read(const AccountVisit& visit, const std::vector<std::string>& names) {
    Typed typed;
    for (const std::string& name : names) {
        const std::string text = visit.request().form.find_typed(name).value_or("");
        if (text.empty()) continue;
        json::Value value = model::typed_claim(name, text);
        const model::StandardClaim* shape = model::find_standard_claim(name);
        const bool fits = shape != nullptr && shape->fits(value) && (name != kEmail || text::is_mail_address(text));
        if (typed.wrong.empty() && !fits) {
            typed.wrong = name;
            typed.problem = {tr("{field}: {rule}"),
                             {{"field", label_of(name)}, {"rule", find_profile_claim(name)->wanted}}};
        }
        typed.claims.set(name, text);
    }
    return typed;
}

/// The names of what has changed. Another address counts once it is confirmed.
std::string apply(json::Object& claims, const std::vector<std::string>& names, const json::Object& typed) {
    model::ClaimChanges changes;
    for (const std::string& name : names) {
        const json::Value* value = typed.find(name);
        if (text_of(claims, name) == text_of(typed, name) || (name == kEmail && value)) continue;
        changes.emplace_back(name, value ? std::optional(*value) : std::nullopt);
    }
    std::string changed;
    for (const std::string& name : model::change_claims(claims, changes).changed)
        changed += (changed.empty() ? "" : " ") + name;
    return changed;
}

/// The address that the form asks for, when it is another one than the user has; "" otherwise.
std::string new_address(const json::Object& claims, const std::vector<std::string>& names, const json::Object& typed) {
    if (std::ranges::find(names, kEmail) == names.end()) return "";
    std::string address = text_of(typed, kEmail);
    return address == text_of(claims, kEmail) ? "" : address;
}

void ask_to_confirm(const AccountVisit& visit, db::Transaction& transaction, const std::string& address) {
    model::MailRequest request;
    request.id = crypto::random_id(visit.context().random);
    request.kind = model::MailKind::email;
    request.subject = visit.subject();
    request.detail = address;
    request.created_at = request.not_before = visit.context().now();
    store::insert_mail(transaction, request);
}

struct Changed {
    std::string names = {};  ///< of claims
    bool email_asked = false;
    bool too_often = false;  ///< nothing was changed
};

void replace_claims(const AccountVisit& visit, db::Transaction& transaction, model::User user,
                    const std::string& names) {
    oauth::Context& context = visit.context();
    // Only an address that is taken away: another one is told by what confirms it.
    if (context.settings.mail && !user.claims.find(kEmail) &&
        mail::queue_notice(transaction, context.random, user.subject, model::ActivityKind::profile_changed,
                           context.now()))
        wake(context);
    user.updated_at = context.now();
    store::update_claims(transaction, user);
    visit.note(transaction, model::ActivityKind::profile_changed, names);
}

/// Durable, as all that is said to be changed.
Changed change(const AccountVisit& visit, const std::vector<std::string>& names, const json::Object& typed) {
    oauth::Context& context = visit.context();
    return db::write(context.store, db::Durability::full, [&](db::Transaction& transaction) -> Changed {
        auto user = store::find_user_to_change(transaction, visit.subject());
        if (!user) return {};
        Changed changed;
        const std::string address = new_address(user->claims, names, typed);
        changed.email_asked = !address.empty();
        if (changed.email_asked && !mail::may_get_another(transaction, visit.subject(), context.now()))
            return {.too_often = true};
        changed.names = apply(user->claims, names, typed);
        if (!changed.names.empty()) replace_claims(visit, transaction, std::move(*user), changed.names);
        if (changed.email_asked) {
            ask_to_confirm(visit, transaction, address);
            wake(context);
        }
        if (changed.email_asked || !changed.names.empty()) transaction.commit();
        return changed;
    });
}

http::Response tell(AccountVisit& visit, const Changed& changed) {
    audit::Trail& trail = visit.context().trail;
    const auto subject = audit::subject(visit.subject());
    if (!changed.names.empty())
        trail.add(audit::Event::profile_changed,
                  {subject, audit::session(visit.session.sid), {"changed", changed.names}});
    if (changed.email_asked)
        trail.add(audit::Event::mail_asked, {{"kind", std::string(model::to_string(model::MailKind::email))}, subject});
    return done(visit, changed.email_asked ? AccountDone::email_asked : AccountDone::profile_changed);
}

}  // namespace

http::Response show_profile(AccountVisit& visit) {
    if (!visit.request().query.find(kEdit) || editable(visit).empty()) return list(visit);
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    const auto user = store::find_user(visit.context().store, visit.subject());
    return form(visit, {.claims = user ? user->claims : json::Object(), .wrong = "", .problem = ""});
}

http::Response submit_profile(AccountVisit& visit) {
    if (auto login = refuse_stale_login(visit)) return std::move(*login);
    const auto names = names_in(visit);
    if (!names) return refuse_malformed_form(visit, "field: claims");
    if (const std::string field = foreign_field(visit, *names); !field.empty())
        return refuse_malformed_form(visit, "field: " + field);
    for (const std::string& name : *names)
        if (!visit.request().form.find_typed(name)) return refuse_malformed_form(visit, "field: " + name);
    const Typed typed = read(visit, *names);
    if (!typed.problem.empty()) return refused(form(visit, typed), "not a value of the claim " + typed.wrong);
    const Changed changed = change(visit, *names, typed.claims);
    if (!changed.too_often) return tell(visit, changed);
    return refused(form(visit, {.claims = typed.claims, .wrong = std::string(kEmail), .problem = kTooOften}),
                   "too many messages were asked for in the name of this user");
}

}  // namespace postern::web
