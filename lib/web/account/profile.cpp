// The page of what is known about a user, and of what of it the user may change.
#include "web/account/profile.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "db/write.h"
#include "http/url.h"
#include "model/claim_shape.h"
#include "model/standard_claims.h"
#include "store/groups.h"
#include "store/users.h"
#include "util/text.h"
#include "web/account/profile_claims.h"

namespace postern::web {
namespace {

constexpr std::string_view kPhone = "phone_number";

const std::vector<std::string>& editable(const AccountVisit& visit) {
    return visit.context().settings.account.editable_claims;
}

bool is_editable(const AccountVisit& visit, std::string_view name) {
    return std::ranges::find(editable(visit), name) != editable(visit).end();
}

std::string label_of(std::string_view name) {
    const ProfileClaim* claim = find_profile_claim(name);
    return claim ? claim->label : std::string(name);
}

ProfilePage new_page(const AccountVisit& visit, const std::string& problem) {
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
            if (std::string value = shown_claim(user->claims, member.first); !value.empty())
                page.claims.push_back({label_of(member.first), std::move(value)});
    }
    page.keeper = visit.context().settings.service_name();
    page.subject = visit.subject().str();
    page.groups = store::groups_of(visit.context().store, visit.subject());
    if (!editable(visit).empty()) page.edit = http::with_query(visit.url(), {{"edit", "yes"}});
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
    std::string problem;  ///< for the user, or ""
};

http::Response form(AccountVisit& visit, const Typed& typed) {
    return with_browser_id(visit, [&] {
        ProfilePage page = new_page(visit, typed.problem);
        for (const std::string& name : editable(visit)) {
            const ProfileClaim* claim = find_profile_claim(name);
            if (claim == nullptr) continue;
            page.fields.push_back({.name = name,
                                   .label = claim->label,
                                   .type = claim->type,
                                   .autocomplete = claim->autocomplete,
                                   .value = text_of(typed.claims, name),
                                   .is_wrong = name == typed.wrong});
            page.sent += (page.sent.empty() ? "" : " ") + name;
        }
        page.list = visit.url();
        return visit.pages.profile(page);
    });
}

http::Response refused(http::Response response, const std::string& detail) {
    response.refusal = http::Refusal{"profile_refused", "the form of the profile was shown again", detail, ""};
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

/// An empty field takes the claim away. Blanks at the ends are not meant.
Typed read(const AccountVisit& visit, const std::vector<std::string>& names) {
    Typed typed;
    for (const std::string& name : names) {
        const std::string_view text = util::trim(visit.request().form.find(name).value_or(""));
        if (text.empty()) continue;
        json::Value value = model::typed_claim(name, text);
        const model::ClaimShape* shape = model::find_claim_shape(name);
        if (typed.wrong.empty() && (shape == nullptr || !shape->fits(value))) {
            typed.wrong = name;
            typed.problem = label_of(name) + ": " + find_profile_claim(name)->wanted;
        }
        typed.claims.set(name, std::string(text));
    }
    return typed;
}

/// The names of what has changed; a number that was confirmed was another one.
std::string apply(json::Object& claims, const std::vector<std::string>& names, const json::Object& typed) {
    std::string changed;
    for (const std::string& name : names) {
        const json::Value* value = typed.find(name);
        if (text_of(claims, name) == text_of(typed, name)) continue;
        value ? claims.set(name, *value) : claims.erase(name);
        if (name == kPhone) claims.erase("phone_number_verified");
        changed += (changed.empty() ? "" : " ") + name;
    }
    return changed;
}

/// Durable, as all that is said to be changed.
std::string change(const AccountVisit& visit, const std::vector<std::string>& names, const json::Object& typed) {
    return db::write(visit.context().store, db::Durability::full, [&](db::Transaction& transaction) {
        auto user = store::find_user_to_change(transaction, visit.subject());
        std::string changed = user ? apply(user->claims, names, typed) : "";
        if (changed.empty()) return changed;
        user->claims.erase("updated_at");  // an import's; the row's own is told from now on
        user->updated_at = visit.context().now();
        store::update_claims(transaction, *user);
        visit.note(transaction, model::Happened::profile_changed, changed);
        transaction.commit();
        return changed;
    });
}

}  // namespace

http::Response show_profile(AccountVisit& visit) {
    if (!visit.request().query.find("edit") || editable(visit).empty()) return list(visit);
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
        if (visit.request().form.fault_of(name)) return refuse_malformed_form(visit, "field: " + name);
    const Typed typed = read(visit, *names);
    if (!typed.problem.empty()) return refused(form(visit, typed), "not a value of the claim " + typed.wrong);
    if (const std::string changed = change(visit, *names, typed.claims); !changed.empty())
        visit.context().trail.add(
            oauth::AuditEvent::profile_changed,
            {oauth::audit::subject(visit.subject()), oauth::audit::session(visit.session.sid), {"changed", changed}});
    return done(visit, AccountDone::profile_changed);
}

}  // namespace postern::web
