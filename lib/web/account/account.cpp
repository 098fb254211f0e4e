// The pages of a user's account: one table.
#include "web/account/account.h"

#include "http/url.h"
#include "login/passkey_setup.h"
#include "oauth/acr.h"
#include "store/users.h"
#include "web/account/visit.h"

namespace postern::web {
namespace {

struct AccountRoute {
    std::string_view suffix;  ///< behind `paths.account`
    Form form;
    http::Response (*show)(AccountVisit&);
    http::Response (*submit)(AccountVisit&);  ///< nullptr: it has no form
    bool (*is_offered)(const oauth::Settings&);
};

bool always(const oauth::Settings&) { return true; }

/// The suffixes that are not empty first: a path that ends with one is not the overview's.
constexpr AccountRoute kRoutes[] = {
    {"/password", Form::account_password, show_password, submit_password, has_password_page},
    {"/app", Form::account_app, show_app, submit_app, has_app_page},
    {"/passkeys", Form::account_passkeys, show_passkeys, submit_passkeys, login::can_have_passkeys},
    {"/codes", Form::account_codes, show_codes, submit_codes, has_app_page},
    {"/devices", Form::account_devices, show_devices, submit_devices, always},
    {"/applications", Form::account_applications, show_applications, submit_applications, always},
    {"/activity", Form::account_activity, show_activity, nullptr, always},
    {"/profile", Form::account_profile, show_profile, submit_profile, always},
    {"", Form::account, show_overview, nullptr, always},
};

/// The page without the word for one request, but with the one that says what it was shown for.
std::string url_to_keep(const Interaction& interaction, const std::string& page) {
    std::string url = interaction.context.settings.url(page);
    const bool after = interaction.request.query.find(kAfterNewLogin).has_value();
    return after ? http::with_query(url, {{kAfterNewLogin, "yes"}}) : url;
}

std::string path_of(const oauth::Settings& settings, const AccountRoute& route) {
    return settings.paths.account.value() + std::string(route.suffix);
}

/// The request's path is one of account_paths(), perhaps below the base path of the issuer.
const AccountRoute& route_of(const oauth::Settings& settings, const std::string& path) {
    for (const AccountRoute& route : kRoutes)
        if (route.is_offered(settings) && path.ends_with(path_of(settings, route))) return route;
    return *std::rbegin(kRoutes);
}

/// Without a session the login, unless this browser has just had one and keeps no session cookie. A cookie of a session
/// that has ended did come back.
http::Response log_in(Interaction& interaction, const std::string& page) {
    if (interaction.request.query.find(kSessionSent) && !interaction.browser.session_cookie)
        return pages::refusal_page(interaction.pages(), interaction.request, refusal::Reason::session_cookie_missing,
                                   {"", "the session cookie of the login did not come back",
                                    interaction.context.settings.issuer, interaction.context.settings.url(page)});
    return log_in_for_account(interaction, page, std::nullopt);
}

/// The claim, where it decides something.
std::optional<std::string> locale_of(const Interaction& interaction) {
    if (interaction.all_pages.languages()->offered().size() == 1 || !interaction.browser.session) return std::nullopt;
    const json::Object claims = store::find_claims(interaction.context.store, interaction.browser.session->subject);
    const json::Value* locale = claims.find("locale");
    const std::string* tag = locale != nullptr ? locale->if_string() : nullptr;
    return tag != nullptr ? std::optional(*tag) : std::nullopt;
}

}  // namespace

std::vector<std::string> account_paths(const oauth::Settings& settings) {
    std::vector<std::string> paths;
    if (!settings.paths.account) return paths;
    for (const AccountRoute& route : kRoutes)
        if (route.is_offered(settings)) paths.push_back(path_of(settings, route));
    if (has_password_change_page(settings)) paths.push_back(*settings.paths.account + kPasswordChangeSuffix);
    if (has_enrolment_page(settings)) paths.push_back(*settings.paths.account + kEnrolmentSuffix);
    return paths;
}

const text::Catalogue& account_language(Interaction& interaction) {
    interaction.locale = locale_of(interaction);
    return interaction.language();
}

http::Response account(Interaction& interaction, const AccountPages& pages) {
    const oauth::Settings& settings = interaction.context.settings;
    const bool posted = interaction.request.method == http::Method::post;
    // Not pages of a session: there is none before their form is sent.
    if (has_enrolment_page(settings) && interaction.request.path.ends_with(*settings.paths.account + kEnrolmentSuffix))
        return posted ? submit_enrolment(interaction, pages) : show_enrolment(interaction, pages);
    if (has_password_change_page(settings) &&
        interaction.request.path.ends_with(*settings.paths.account + kPasswordChangeSuffix))
        return posted ? submit_password_change(interaction, pages) : show_password_change(interaction, pages);
    const AccountRoute& route = route_of(settings, interaction.request.path);
    const std::string page = path_of(settings, route);
    // A form that another site sends comes without cookies. The page is for browsers that bring theirs: to take this
    // one for a new browser would replace the cookie that its forms and logins are bound to.
    const auto& session = interaction.browser.session;
    // One that began while the web server let users in is not taken for a login of now.
    const bool counts =
        session && (session->how.level > model::Level::unknown || !oauth::knows_how_users_log_in(settings));
    if (!counts && posted) return http::see_other(settings.url(page));
    if (!counts) return log_in(interaction, page);
    // The word is for one request: kept in a bookmark it would blame cookies for a session that has ended.
    if (!posted && interaction.request.query.find(kSessionSent)) return http::see_other(url_to_keep(interaction, page));
    AccountVisit visit{interaction, pages, *session, page, route.form};
    if (auto login = refuse_weak_login(visit)) return std::move(*login);
    if (!posted && interaction.request.query.find(kAfterNewLogin)) {
        // This word, too: kept, it would refuse later visits without asking for another login.
        if (!is_too_old_again(visit)) return http::see_other(settings.url(page));
        if (route.form != Form::account) return http::see_other(url_to_keep(interaction, *settings.paths.account));
    }
    if (!posted) return route.show(visit);
    if (auto foreign = refuse_foreign_form(visit)) return std::move(*foreign);
    return route.submit ? route.submit(visit) : http::see_other(visit.url());
}

}  // namespace postern::web
