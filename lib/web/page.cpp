// Decides which values each page is given, and takes out of them what could disguise the text around.
#include "web/page.h"

#include "util/text.h"
#include "web/template.h"

namespace postern::web {
namespace {

Values to_values(const ConsentScope& scope) {
    return {.texts = {{"name", util::displayable(scope.name)}, {"description", util::displayable(scope.description)}},
            .lists = {}};
}

class TemplatePages final : public Pages {
public:
    TemplatePages(const std::string& directory, const Partials& partials)
        : login_(read_template(directory, "login.html", partials, Scripts::several)),
          second_step_(read_template(directory, "second_step.html", partials, Scripts::several)),
          few_codes_(read_template(directory, "few_codes.html", partials)),
          consent_(read_template(directory, "consent.html", partials, Scripts::one)),
          error_(read_template(directory, "error.html", partials)),
          logout_(read_template(directory, "logout.html", partials)),
          logged_out_(read_template(directory, "logged_out.html", partials)),
          form_post_(read_template(directory, "form_post.html", partials, Scripts::one)) {}

    http::Response login(const LoginPage& page, int status) const override {
        const Values values{.texts = {{"client_name", util::displayable(page.client_name)},
                                      {"action", page.action},
                                      {"csrf", page.csrf},
                                      {"resume", page.resume},
                                      {"username", util::displayable(page.username)},
                                      {"message", util::displayable(page.message)},
                                      {"passkey_options", page.passkey.options},
                                      {"passkey_challenge", page.passkey.challenge}},
                            .lists = {}};
        return respond(login_, values, status);
    }

    http::Response second_step(const SecondStepPage& page, int status) const override {
        const Values values{.texts = {{"username", util::displayable(page.username)},
                                      {"action", page.action},
                                      {"csrf", page.csrf},
                                      {"resume", page.resume},
                                      {"other_account", page.other_account},
                                      {"message", util::displayable(page.message)},
                                      {"has_codes", page.has_codes ? "yes" : ""},
                                      {"code", page.code ? "yes" : ""},
                                      {"passkey_options", page.passkey.options},
                                      {"passkey_challenge", page.passkey.challenge}},
                            .lists = {}};
        return respond(second_step_, values, status);
    }

    http::Response few_codes(const FewCodesPage& page) const override {
        const Values values{.texts = {{"left", page.left}, {"next", page.next}, {"codes", page.codes}}, .lists = {}};
        return respond(few_codes_, values, 200);
    }

    http::Response consent(const ConsentPage& page) const override {
        Values values{.texts = {{"client_name", util::displayable(page.client_name)},
                                {"client_host", util::displayable(page.client_host)},
                                {"username", util::displayable(page.username)},
                                {"action", page.action},
                                {"csrf", page.csrf},
                                {"resume", page.resume},
                                {"has_scopes", page.scopes.empty() ? "" : "yes"},
                                {"has_resources", page.resources.empty() ? "" : "yes"},
                                {"published_at", util::displayable(page.published_at)},
                                {"any_program", page.any_program ? "yes" : ""}},
                      .lists = {}};
        auto& scopes = values.lists["scopes"];
        for (const auto& scope : page.scopes) scopes.push_back(to_values(scope));
        auto& resources = values.lists["resources"];
        for (const auto& resource : page.resources)
            resources.push_back({.texts = {{"resource", util::displayable(resource)}}, .lists = {}});
        return respond(consent_, values, 200);
    }

    http::Response error(const ErrorPage& page) const override {
        const Values values{.texts = {{"title", util::displayable(page.title)},
                                      {"message", util::displayable(page.message)},
                                      {"who", util::displayable(page.who)},
                                      {"request_id", page.request_id},
                                      {"try_again", page.try_again},
                                      {"other_account", page.other_account},
                                      {"back", page.back},
                                      {"client_name", util::displayable(page.client_name)}},
                            .lists = {}};
        return respond(error_, values, page.status);
    }

    http::Response logout(const LogoutPage& page) const override {
        const Values values{.texts = {{"client_name", util::displayable(page.client_name)},
                                      {"username", util::displayable(page.username)},
                                      {"action", page.action},
                                      {"csrf", page.csrf},
                                      {"resume", page.resume}},
                            .lists = {}};
        return respond(logout_, values, 200);
    }

    http::Response logged_out() const override { return respond(logged_out_, {}, 200); }

    http::Response still_logged_in(const std::string& username) const override {
        const Values values{.texts = {{"signed_in", "yes"}, {"username", util::displayable(username)}}, .lists = {}};
        return respond(logged_out_, values, 200);
    }

    http::Response form_post(const FormPostPage& page) const override {
        Values values{.texts = {{"client_name", util::displayable(page.client_name)}, {"action", page.action}},
                      .lists = {}};
        auto& fields = values.lists["fields"];
        for (const auto& [name, value] : page.fields)
            if (value) fields.push_back({.texts = {{"name", name}, {"value", *value}}, .lists = {}});
        return respond(form_post_, values, 200);
    }

private:
    Template login_;
    Template second_step_;
    Template few_codes_;
    Template consent_;
    Template error_;
    Template logout_;
    Template logged_out_;
    Template form_post_;
};

}  // namespace

std::unique_ptr<const Pages> read_pages(const std::string& directory, const oauth::Branding& branding) {
    return std::make_unique<TemplatePages>(directory, read_partials(directory, branding));
}

}  // namespace postern::web
