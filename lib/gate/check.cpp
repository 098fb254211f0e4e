// Reads what decides about a request, and asks step for the verdict.
#include "gate/check.h"

#include <chrono>
#include <exception>
#include <utility>

#include "db/read.h"
#include "db/write.h"
#include "gate/cookies.h"
#include "gate/readings.h"
#include "gate/site.h"
#include "login/levels.h"
#include "oauth/session_life.h"
#include "oidc/claims.h"
#include "oidc/userinfo.h"
#include "store/client_access.h"
#include "store/sessions.h"
#include "store/sites.h"
#include "store/users.h"
#include "util/text.h"

namespace postern::gate {
namespace {

using refusal::Reason;

/// The time that a note waits for the write lock.
constexpr std::chrono::milliseconds kNoWait{0};

std::string described(const Question& question, std::string_view what) {
    constexpr std::size_t kShown = 200;
    const bool is_shown = util::is_vschar(question.path);
    return question.origin + (is_shown ? question.path.substr(0, kShown) : "/...") + ": " + std::string(what);
}

NotFound not_found(const Question& question, PlaceFault fault) {
    if (fault == PlaceFault::no_site)
        return {Reason::gate_no_site, described(question, "no enabled site has this URL; see `postern site list`")};
    return {Reason::gate_path_refused,
            described(question, "web servers and applications can read this path as one of several sites")};
}

/// Tells the application its user, who passes.
void tell(oauth::Context& context, const model::Client& site, Checked& checked) {
    const model::Subject& subject = checked.session->subject;
    ToldUser user{checked.username, subject, {}};
    if (!site.scope.empty())
        user.claims = oidc::release_claims(
            context, {.client = site.id, .own_claims = site.own_claims, .subject = subject, .granted = site.scope},
            oidc::database_claims(context));
    auto told = tell_user(*site.site, user);
    if (told)
        checked.told = std::move(*told);
    else
        checked.untold = told.error().detail;
}

}  // namespace

util::Result<Found, NotFound> find_site(oauth::Context& context, const Question& question) {
    const auto readings = readings_of(question.path);
    if (!readings) return NotFound{Reason::gate_path_refused, described(question, to_string(readings.error()))};
    std::vector<model::Client> sites = store::find_sites(context.store, question.origin);
    std::vector<SiteUrl> urls;
    for (const model::Client& site : sites) urls.push_back(url_of(*site.site));
    const auto place = find_place(*readings, urls);
    if (!place) return not_found(question, place.error());
    // Only now: what is below a disabled site is not open as a part of the site around it.
    if (!sites[place->site].enabled) return not_found(question, PlaceFault::no_site);
    return Found{std::move(sites[place->site]), std::move(urls[place->site]), place->own};
}

Checked decide(oauth::Context& context, const Found& found, model::Session session, util::Time signed_in_at) {
    const model::Client& site = found.site;
    const model::AuthorizationRequest request = silent_request(site);
    oauth::AuthorizationInput input{.request = request,
                                    .client = site,
                                    .released_claims = context.settings.released_claims,
                                    .session = session,
                                    .progress = {},
                                    .consent = {},
                                    .now = context.now()};
    input.may_use = !site.restricted || store::may_use(context.store, site.id, session.subject);
    login::read_levels(context, input);
    Checked checked{.verdict = verdict_of(input, signed_in_at)};
    if (checked.verdict == Verdict::sign_in) return checked;
    context.trail.note_user(session.subject);
    checked.username = store::find_username(context.store, session.subject);
    checked.session = std::move(session);
    if (checked.verdict == Verdict::pass) tell(context, site, checked);
    return checked;
}

namespace {

Checked check_cookies(oauth::Context& context, const Found& found, std::string_view cookie_header) {
    const FoundCookies cookies =
        find_signed_in(context, cookie_names(context.settings, found.url), found.site.id, cookie_header);
    const auto life = oauth::session_life(context.settings, context.now());
    Checked best;
    for (const SignedIn& signed_in : cookies.signed_in) {
        auto session = store::find_session_of(context.store, signed_in.subject, signed_in.sid, life);
        if (!session) continue;
        Checked checked = decide(context, found, std::move(*session), signed_in.at);
        if (checked.verdict == Verdict::pass) return checked;
        if (checked.verdict == Verdict::may_not_use) best = std::move(checked);
    }
    best.was_signed_in = !cookies.signed_in.empty();
    best.has_forged = cookies.has_forged;
    return best;
}

}  // namespace

Checked check(oauth::Context& context, const Found& found, std::string_view cookie_header) {
    return db::read(context.store, [&] { return check_cookies(context, found, cookie_header); });
}

void note_use(oauth::Context& context, const model::Session& session) noexcept {
    try {
        const util::Time now = context.now();
        if (now - session.last_seen_at <= context.settings.session_idle_ttl / 4) return;
        db::write(context.store, db::Durability::lazy, kNoWait, [&](db::Transaction& transaction) {
            store::touch_session(transaction, session.cookie_hash, now);
            transaction.commit();
        });
    } catch (const std::exception&) {  // the next check notes it
    }
}

}  // namespace postern::gate
