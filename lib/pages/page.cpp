// Decides which values each page is given, and takes out of them what could disguise the text around.
#include "pages/page.h"

#include "pages/page_language.h"
#include "pages/renderer.h"
#include "util/text.h"

namespace postern::pages {
namespace {

/// Read and looked at once, for every language.
struct PageTemplates {
    explicit PageTemplates(const TemplateReader& read)
        : login(read("login.html", Scripts::several)),
          second_step(read("second_step.html", Scripts::several)),
          few_codes(read("few_codes.html")),
          consent(read("consent.html", Scripts::one)),
          error(read("error.html")),
          logout(read("logout.html")),
          logged_out(read("logged_out.html")),
          form_post(read("form_post.html", Scripts::one)) {}

    Template login, second_step, few_codes, consent, error, logout, logged_out, form_post;
};

class TemplatePages final : public FromTemplates<Pages, PageTemplates> {
public:
    using FromTemplates::FromTemplates;

    http::Response login(const LoginPage& page, int status) const override {
        Values values{.texts = {{"client_name", renderer_.say(page.client_name)},
                                {"action", page.action},
                                {"csrf", page.csrf},
                                {"resume", page.resume},
                                {"username", util::displayable(page.username)},
                                {"message", renderer_.say(page.message)},
                                {"fields_wrong", page.fields_wrong ? "yes" : ""},
                                {"passkey_options", page.passkey.options},
                                {"passkey_challenge", page.passkey.challenge},
                                {"device", page.device ? "yes" : ""},
                                {"forgot", page.forgot}}};
        return renderer_.respond(templates_->login, std::move(values), status);
    }

    http::Response second_step(const SecondStepPage& page, int status) const override {
        Values values{.texts = {{"username", util::displayable(page.username)},
                                {"action", page.action},
                                {"csrf", page.csrf},
                                {"resume", page.resume},
                                {"other_account", page.other_account},
                                {"message", renderer_.say(page.message)},
                                {"has_codes", page.has_codes ? "yes" : ""},
                                {"code", page.code ? "yes" : ""},
                                {"remembered_until", renderer_.say(page.remembered_until)},
                                {"remember", page.remember ? "yes" : ""},
                                {"passkey_options", page.passkey.options},
                                {"passkey_challenge", page.passkey.challenge}}};
        return renderer_.respond(templates_->second_step, std::move(values), status);
    }

    http::Response few_codes(const FewCodesPage& page) const override {
        Values values{.texts = {{"left", renderer_.say(page.left)}, {"next", page.next}, {"codes", page.codes}}};
        return renderer_.respond(templates_->few_codes, std::move(values), 200);
    }

    http::Response consent(const ConsentPage& page) const override {
        Values values{.texts = {{"client_name", renderer_.say(page.client_name)},
                                {"client_host", util::displayable(page.client_host)},
                                {"username", util::displayable(page.username)},
                                {"other_account", page.other_account},
                                {"action", page.action},
                                {"csrf", page.csrf},
                                {"resume", page.resume},
                                {"has_scopes", page.scopes.empty() ? "" : "yes"},
                                {"has_resources", page.resources.empty() ? "" : "yes"},
                                {"unchecked", page.registered_itself || !page.published_at.empty() ? "yes" : ""},
                                {"published_at", util::displayable(page.published_at)},
                                {"registered_itself", page.registered_itself ? "yes" : ""},
                                {"nameless", page.nameless ? "yes" : ""},
                                {"any_program", page.any_program ? "yes" : ""},
                                {"policy_uri", page.policy_uri},
                                {"tos_uri", page.tos_uri},
                                {"has_terms", page.policy_uri.empty() && page.tos_uri.empty() ? "" : "yes"}}};
        auto& scopes = values.lists["scopes"];
        for (const auto& scope : page.scopes) scopes.push_back(values_of(scope, renderer_));
        auto& resources = values.lists["resources"];
        for (const auto& resource : page.resources)
            resources.push_back({.texts = {{"resource", util::displayable(resource)}}});
        return renderer_.respond(templates_->consent, std::move(values), 200);
    }

    http::Response error(const ErrorPage& page) const override {
        Values values{.texts = {{"title", renderer_.say(page.title)},
                                {"message", renderer_.say(page.message)},
                                {"who", renderer_.say(page.who)},
                                {"request_id", page.request_id},
                                {"try_again", page.try_again},
                                {"sign_out", page.sign_out},
                                {"recover", page.recover},
                                {"other_account", page.other_account},
                                {"back", page.back},
                                {"client_name", renderer_.say(page.client_name)}}};
        return renderer_.respond(templates_->error, std::move(values), page.status);
    }

    http::Response logout(const LogoutPage& page) const override {
        Values values{.texts = {{"client_name", renderer_.say(page.client_name)},
                                {"leads_to", renderer_.say(page.leads_to)},
                                {"username", util::displayable(page.username)},
                                {"action", page.action},
                                {"csrf", page.csrf},
                                {"resume", page.resume}}};
        return renderer_.respond(templates_->logout, std::move(values), 200);
    }

    http::Response logged_out(const LoggedOutPage& page) const override {
        Values values{.texts = {{"back", page.back}, {"client_name", renderer_.say(page.client_name)}}};
        return renderer_.respond(templates_->logged_out, std::move(values), 200);
    }

    http::Response still_logged_in(const std::string& username) const override {
        Values values{.texts = {{"signed_in", "yes"}, {"username", util::displayable(username)}}};
        return renderer_.respond(templates_->logged_out, std::move(values), 200);
    }

    http::Response form_post(const FormPostPage& page) const override {
        Values values{.texts = {{"client_name", renderer_.say(page.client_name)}, {"action", page.action}}};
        auto& fields = values.lists["fields"];
        for (const auto& [name, value] : page.fields)
            if (value) fields.push_back({.texts = {{"name", name}, {"value", *value}}});
        return renderer_.respond(templates_->form_post, std::move(values), 200);
    }
};

class TemplateBook final : public PageBook {
public:
    TemplateBook(const std::string& directory, const oauth::Settings& settings, Parsing parsing)
        : settings_(settings),
          languages_(std::make_shared<const text::Languages>(directory, settings.languages, settings.language)),
          templates_(directory, settings.branding, languages_, parsing),
          pages_(in_languages<TemplatePages>(templates_)) {}

    const std::shared_ptr<const text::Languages>& languages() const override { return languages_; }
    const TemplateReader& templates() const override { return templates_; }
    const Pages& in(const text::Catalogue& language) const override { return pages_->in(language); }

    std::string variable() const override { return languages_->offered().size() > 1 ? kAcceptLanguageVariable : ""; }

    const Pages& for_failure(std::string_view cookie, std::string_view accept_language) const override {
        if (languages_->offered().size() == 1) return in(languages_->last_resort());
        return in(languages_->choose(language_wishes(settings_, cookie, accept_language)));
    }

    void remember(const http::Request& request, http::Response& response) const override {
        remember_language(settings_, *languages_, request, response);
    }

private:
    const oauth::Settings& settings_;
    std::shared_ptr<const text::Languages> languages_;
    TemplateReader templates_;
    std::unique_ptr<const InLanguages<Pages>> pages_;
};

}  // namespace

text::Message client_name(const model::Client& client) {
    if (client.name.empty()) return text::tr("an application without a name");
    auto names = client.names;
    names[""] = client.name;
    return text::Message::in_languages(std::move(names));
}

Values values_of(const ConsentScope& line, const Renderer& renderer) {
    return {.texts = {{"name", util::displayable(line.name)}, {"description", renderer.say(line.description)}}};
}

std::unique_ptr<const PageBook> read_pages(const std::string& directory, const oauth::Settings& settings,
                                           Parsing parsing) {
    return std::make_unique<TemplateBook>(directory, settings, parsing);
}

}  // namespace postern::pages
