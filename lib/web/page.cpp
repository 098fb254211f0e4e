// Decides which values each page is given, and takes out of them what could disguise the text around.
#include "web/page.h"

#include "util/text.h"
#include "web/template.h"

namespace postern::web {
namespace {

/// What the pages share: an operator changes all of them there.
Partials read_partials(const std::string& directory) {
    Partials partials;
    for (const char* name : {"head.html", "style.css", "mark.svg"})
        partials[name] = read_template_file(directory + "/" + name);
    return partials;
}

Template read_template(const std::string& directory, const std::string& name, const Partials& partials,
                       Scripts scripts = Scripts::none) {
    const std::string path = directory + "/" + name;
    return {path, read_template_file(path), partials, scripts};
}

http::Response respond(const Template& page, const Values& values, int status) {
    return http::html(page.render(values), status, page.style_hash(), page.script_hash());
}

Values to_values(const ConsentScope& scope) {
    return {.texts = {{"name", util::displayable(scope.name)}, {"description", util::displayable(scope.description)}},
            .lists = {}};
}

}  // namespace

struct Pages::Templates {
    Templates(const std::string& directory, const Partials& partials)
        : login(read_template(directory, "login.html", partials)),
          consent(read_template(directory, "consent.html", partials)),
          error(read_template(directory, "error.html", partials)),
          logout(read_template(directory, "logout.html", partials)),
          logged_out(read_template(directory, "logged_out.html", partials)),
          form_post(read_template(directory, "form_post.html", partials, Scripts::one)) {}

    Template login;
    Template consent;
    Template error;
    Template logout;
    Template logged_out;
    Template form_post;
};

Pages::Pages(const std::string& directory)
    : templates_(std::make_unique<Templates>(directory, read_partials(directory))) {}
Pages::Pages(Pages&&) noexcept = default;
Pages::~Pages() = default;

http::Response Pages::login(const LoginPage& page, int status) const {
    const Values values{.texts = {{"client_name", util::displayable(page.client_name)},
                                  {"action", page.action},
                                  {"csrf", page.csrf},
                                  {"resume", page.resume},
                                  {"username", util::displayable(page.username)},
                                  {"message", util::displayable(page.message)}},
                        .lists = {}};
    return respond(templates_->login, values, status);
}

http::Response Pages::consent(const ConsentPage& page) const {
    Values values{.texts = {{"client_name", util::displayable(page.client_name)},
                            {"client_host", util::displayable(page.client_host)},
                            {"username", util::displayable(page.username)},
                            {"action", page.action},
                            {"csrf", page.csrf},
                            {"resume", page.resume},
                            {"has_scopes", page.scopes.empty() ? "" : "yes"}},
                  .lists = {}};
    auto& scopes = values.lists["scopes"];
    for (const auto& scope : page.scopes) scopes.push_back(to_values(scope));
    return respond(templates_->consent, values, 200);
}

http::Response Pages::error(const ErrorPage& page) const {
    const Values values{.texts = {{"title", util::displayable(page.title)},
                                  {"message", util::displayable(page.message)},
                                  {"who", util::displayable(page.who)},
                                  {"request_id", page.request_id},
                                  {"try_again", page.try_again}},
                        .lists = {}};
    return respond(templates_->error, values, page.status);
}

http::Response Pages::logout(const LogoutPage& page) const {
    const Values values{.texts = {{"client_name", util::displayable(page.client_name)},
                                  {"username", util::displayable(page.username)},
                                  {"action", page.action},
                                  {"csrf", page.csrf},
                                  {"resume", page.resume}},
                        .lists = {}};
    return respond(templates_->logout, values, 200);
}

http::Response Pages::logged_out() const { return respond(templates_->logged_out, {}, 200); }

http::Response Pages::still_logged_in(const std::string& username) const {
    const Values values{.texts = {{"signed_in", "yes"}, {"username", util::displayable(username)}}, .lists = {}};
    return respond(templates_->logged_out, values, 200);
}

http::Response Pages::form_post(const FormPostPage& page) const {
    Values values{.texts = {{"client_name", util::displayable(page.client_name)}, {"action", page.action}},
                  .lists = {}};
    auto& fields = values.lists["fields"];
    for (const auto& [name, value] : page.fields)
        if (value) fields.push_back({.texts = {{"name", name}, {"value", *value}}, .lists = {}});
    return respond(templates_->form_post, values, 200);
}

}  // namespace postern::web
