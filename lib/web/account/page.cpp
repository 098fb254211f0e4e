// Decides which values each page of the account is given.
#include "web/account/page.h"

#include "pages/renderer.h"
#include "util/text.h"

namespace postern::web {
namespace {

using text::tr;

pages::Values values_of(const AccountFrame& frame, const pages::Renderer& renderer) {
    return {.texts = {{"overview", frame.overview},
                      {"logout", frame.logout},
                      {"done", renderer.say(frame.done)},
                      {"problem", renderer.say(frame.problem)},
                      {"action", frame.action},
                      {"csrf", frame.csrf},
                      {"state_parameter", frame.state_parameter}}};
}

pages::Values values_of(const HalfLoginFrame& frame, const text::Message& problem, const pages::Renderer& renderer) {
    return {.texts = {{"username", util::displayable(frame.username)},
                      {"action", frame.action},
                      {"csrf", frame.csrf},
                      {"resume", frame.resume},
                      {"other_account", frame.other_account},
                      {"problem", renderer.say(problem)}}};
}

pages::Values one(const std::string& name, const std::string& value) {
    return {.texts = {{name, util::displayable(value)}}};
}

pages::Values to_values(const AccountRow& row, const pages::Renderer& renderer) {
    return {.texts = {{"name", renderer.say(row.name)}, {"state", renderer.say(row.state)}, {"url", row.url}}};
}

pages::Values to_values(const ListedDevice& device, const pages::Renderer& renderer) {
    return {.texts = {{"name", renderer.say(device.name)},
                      {"address", util::displayable(device.address)},
                      {"since", renderer.say(device.since)},
                      {"last_seen", renderer.say(device.last_seen)},
                      {"sid", device.sid},
                      {"is_this", device.is_this ? "yes" : ""}}};
}

pages::Values to_values(const ListedRemembered& remembered, const pages::Renderer& renderer) {
    return {.texts = {{"name", renderer.say(remembered.name)},
                      {"since", renderer.say(remembered.since)},
                      {"last_used", renderer.say(remembered.last_used)},
                      {"until", renderer.say(remembered.until)},
                      {"id", remembered.id}}};
}

pages::Values to_values(const ListedApplication& application, const pages::Renderer& renderer) {
    pages::Values values{.texts = {{"client_id", application.client_id},
                                   {"name", renderer.say(application.name)},
                                   {"host", util::displayable(application.host)},
                                   {"first_party", application.first_party ? "yes" : ""},
                                   {"unchecked", application.unchecked ? "yes" : ""},
                                   {"has_permissions", application.permissions.empty() ? "" : "yes"},
                                   {"since", renderer.say(application.since)},
                                   {"last_used", renderer.say(application.last_used)}}};
    auto& permissions = values.lists["permissions"];
    for (const text::Message& permission : application.permissions)
        permissions.push_back(one("text", renderer.say(permission)));
    return values;
}

pages::Values to_values(const ListedPasskey& passkey, const pages::Renderer& renderer) {
    return {.texts = {{"name", util::displayable(passkey.name)},
                      {"id", passkey.id},
                      {"state", renderer.say(passkey.state)},
                      {"since", renderer.say(passkey.since)},
                      {"last_used", renderer.say(passkey.last_used)}}};
}

pages::Values to_values(const ListedActivity& line, const pages::Renderer& renderer) {
    return {.texts = {{"text", renderer.say(line.text)},
                      {"detail", renderer.say(line.detail)},
                      {"when", renderer.say(line.when)},
                      {"where", renderer.say(line.where)}}};
}

pages::Values to_values(const ListedClaim& claim, const pages::Renderer& renderer) {
    return {.texts = {{"label", renderer.say(claim.label)},
                      {"value", renderer.say(claim.value)},
                      {"ltr", claim.value.is_data() ? "yes" : ""}}};
}

pages::Values to_values(const ClaimField& field, const pages::Renderer& renderer) {
    return {.texts = {{"name", field.name},
                      {"label", renderer.say(field.label)},
                      {"type", field.type},
                      {"autocomplete", field.autocomplete},
                      {"value", util::displayable(field.value)},
                      {"value_dir", field.is_data ? "ltr" : "auto"},
                      {"is_wrong", field.is_wrong ? "yes" : ""}}};
}

pages::Values to_values(const std::string& group, const pages::Renderer&) { return one("group", group); }

/// A list of the template, a row for each of `items`.
template <class Item>
void add_list(pages::Values& values, const char* name, const std::vector<Item>& items,
              const pages::Renderer& renderer) {
    auto& rows = values.lists[name];
    for (const Item& item : items) rows.push_back(to_values(item, renderer));
}

/// For account_app_key.html, which is given `resume` too.
void add(pages::Values& values, const AppKey& key) {
    values.texts["key"] = key.text;
    values.texts["link"] = key.link;
    values.texts["path"] = key.path;
    values.texts["size"] = key.size;
    values.texts["sealed"] = key.sealed;
}

/// For account_new_passkey.html, which is given `resume` and `passkey_problem` too.
void add(pages::Values& values, const login::NewPasskey& fresh, const pages::Renderer& renderer) {
    values.texts["options"] = fresh.options;
    values.texts["challenge"] = fresh.challenge;
    values.texts["proposed"] = renderer.say(fresh.name);
}

const char* title_of(CodesPage::Kind kind) {
    switch (kind) {
        case CodesPage::Kind::shown:
            return tr("Keep these codes");
        case CodesPage::Kind::asks:
            return tr("Make new recovery codes?");
        default:
            return tr("Recovery codes");
    }
}

/// Read and looked at once, for every language.
struct AccountTemplates {
    explicit AccountTemplates(const pages::TemplateReader& read)
        : overview(read("account.html")),
          password(read("account_password.html", pages::Scripts::one)),
          devices(read("account_devices.html")),
          applications(read("account_applications.html")),
          app(read("account_app.html")),
          passkeys(read("account_passkeys.html", pages::Scripts::one)),
          activity(read("account_activity.html")),
          profile(read("account_profile.html", pages::Scripts::one)),
          codes(read("account_codes.html")),
          enrolment(read("account_enrol.html", pages::Scripts::one)),
          password_change(read("account_new_password.html", pages::Scripts::one)) {}

    pages::Template overview, password, devices, applications, app, passkeys, activity, profile, codes, enrolment,
        password_change;
};

class TemplateAccountPages final : public pages::FromTemplates<AccountPages, AccountTemplates> {
public:
    using FromTemplates::FromTemplates;

    http::Response overview(const OverviewPage& page) const override {
        pages::Values values = values_of(page.frame, renderer_);
        values.texts["name"] = util::displayable(page.name);
        values.texts["username"] = util::displayable(page.username);
        values.texts["subject"] = util::displayable(page.subject);
        values.texts["has_groups"] = page.groups.empty() ? "" : "yes";
        add_list(values, "groups", page.groups, renderer_);
        add_list(values, "rows", page.rows, renderer_);
        return renderer_.respond(templates_->overview, std::move(values), 200);
    }

    http::Response password(const PasswordPage& page, int status) const override {
        pages::Values values = values_of(page.frame, renderer_);
        values.texts["username"] = util::displayable(page.username);
        values.texts["min_length"] = page.min_length;
        values.texts["has_form"] = page.asks != PasswordPage::Asks::nothing ? "yes" : "";
        values.texts["wants_present"] = page.asks == PasswordPage::Asks::present_and_new ? "yes" : "";
        values.texts["present_is_wrong"] = page.wrong == PasswordPage::Wrong::present ? "yes" : "";
        values.texts["new_is_wrong"] = page.wrong == PasswordPage::Wrong::fresh ? "yes" : "";
        return renderer_.respond(templates_->password, std::move(values), status);
    }

    http::Response devices(const DevicesPage& page) const override {
        pages::Values values = values_of(page.frame, renderer_);
        const bool has_remembered = !page.remembered.empty();
        values.texts["has_others"] = page.devices.size() > 1 || has_remembered ? "yes" : "";
        values.texts["has_remembered"] = has_remembered ? "yes" : "";
        if (page.more > 0) values.messages["more"] = text::Message::number(page.more);
        add_list(values, "devices", page.devices, renderer_);
        add_list(values, "remembered", page.remembered, renderer_);
        return renderer_.respond(templates_->devices, std::move(values), 200);
    }

    http::Response applications(const ApplicationsPage& page) const override {
        pages::Values values = values_of(page.frame, renderer_);
        values.texts["has_applications"] = page.applications.empty() ? "" : "yes";
        add_list(values, "applications", page.applications, renderer_);
        return renderer_.respond(templates_->applications, std::move(values), 200);
    }

    http::Response app(const AppPage& page, int status) const override {
        pages::Values values = values_of(page.frame, renderer_);
        values.texts["since"] = renderer_.say(page.since);
        values.texts["last_used"] = renderer_.say(page.last_used);
        values.texts["another"] = page.another;
        values.texts["ends_codes"] = page.ends_codes ? "yes" : "";
        values.texts["resume"] = "";
        add(values, page.key);
        return renderer_.respond(templates_->app, std::move(values), status);
    }

    http::Response passkeys(const PasskeysPage& page) const override {
        pages::Values values = values_of(page.frame, renderer_);
        values.texts["title"] = renderer_.say(page.list.empty() ? tr("Passkeys") : tr("Add a passkey"));
        values.texts["is_list"] = page.list.empty() ? "yes" : "";
        values.texts["has_passkeys"] = page.passkeys.empty() ? "" : "yes";
        values.texts["ends_codes"] = page.ends_codes ? "yes" : "";
        values.texts["wants_second"] = page.wants_second ? "yes" : "";
        values.texts["another"] = page.another;
        values.texts["accepted"] = page.accepted;
        values.texts["passkey_problem"] = "";
        values.texts["resume"] = "";
        add(values, page.fresh, renderer_);
        values.texts["list"] = page.list;
        add_list(values, "passkeys", page.passkeys, renderer_);
        return renderer_.respond(templates_->passkeys, std::move(values), 200);
    }

    http::Response activity(const ActivityPage& page) const override {
        pages::Values values = values_of(page.frame, renderer_);
        values.texts["has_lines"] = page.lines.empty() ? "" : "yes";
        add_list(values, "lines", page.lines, renderer_);
        return renderer_.respond(templates_->activity, std::move(values), 200);
    }

    http::Response profile(const ProfilePage& page) const override {
        const bool is_list = page.list.empty();
        pages::Values values = values_of(page.frame, renderer_);
        values.texts["title"] = renderer_.say(is_list ? tr("Your profile") : tr("Change your profile"));
        values.texts["is_list"] = is_list ? "yes" : "";
        values.texts["username"] = util::displayable(page.username);
        values.texts["keeper"] = page.keeper;
        values.texts["edit"] = page.edit;
        values.texts["subject"] = util::displayable(page.subject);
        values.texts["has_groups"] = page.groups.empty() ? "" : "yes";
        values.texts["sent"] = page.sent;
        values.texts["list"] = page.list;
        add_list(values, "groups", page.groups, renderer_);
        add_list(values, "claims", page.claims, renderer_);
        add_list(values, "fields", page.fields, renderer_);
        return renderer_.respond(templates_->profile, std::move(values), 200);
    }

    http::Response codes(const CodesPage& page) const override {
        using Kind = CodesPage::Kind;
        const auto if_kind = [&](Kind kind) { return page.kind == kind ? "yes" : ""; };
        pages::Values values = values_of(page.frame, renderer_);
        values.texts["title"] = renderer_.say(title_of(page.kind));
        values.texts["none"] = if_kind(Kind::none);
        values.texts["asks"] = if_kind(Kind::asks);
        values.texts["shown"] = if_kind(Kind::shown);
        values.texts["left"] = page.kind == Kind::left ? renderer_.say(page.left) : "";
        values.texts["another"] = page.another;
        values.texts["stamp"] = page.stamp;
        values.texts["next"] = page.next;
        auto& codes = values.lists["codes"];
        for (const std::string& code : page.codes) codes.push_back(one("code", code));
        return renderer_.respond(templates_->codes, std::move(values), 200);
    }

    http::Response enrolment(const EnrolmentPage& page) const override {
        pages::Values values = values_of(page.frame, page.app_problem, renderer_);
        values.texts["passkey_problem"] = renderer_.say(page.passkey_problem);
        add(values, page.passkey, renderer_);
        add(values, page.key);
        return renderer_.respond(templates_->enrolment, std::move(values), 200);
    }

    http::Response password_change(const PasswordChangePage& page) const override {
        pages::Values values = values_of(page.frame, page.problem, renderer_);
        values.texts["min_length"] = page.min_length;
        return renderer_.respond(templates_->password_change, std::move(values), 200);
    }
};

}  // namespace

std::unique_ptr<const pages::InLanguages<AccountPages>> read_account_pages(const pages::TemplateReader& read) {
    // Pages of an operator may have the form for a password themselves.
    return in_languages<TemplateAccountPages>(
        read.with({"account_top.html", "account_message.html", "account_app_key.html", "account_new_passkey.html",
                   "passkey_add.js"})
            .with({"new_password.html"}, pages::TemplateReader::Missing::left_out));
}

}  // namespace postern::web
