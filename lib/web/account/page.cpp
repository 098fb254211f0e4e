// Decides which values each page of the account is given.
#include "web/account/page.h"

#include "util/text.h"
#include "web/template.h"

namespace postern::web {
namespace {

Values values_of(const AccountFrame& frame) {
    return {.texts = {{"overview", frame.overview},
                      {"logout", frame.logout},
                      {"done", frame.done},
                      {"problem", frame.problem},
                      {"action", frame.action},
                      {"csrf", frame.csrf}},
            .lists = {}};
}

Values one(const std::string& name, const std::string& value) {
    return {.texts = {{name, util::displayable(value)}}, .lists = {}};
}

Values to_values(const AccountRow& row) {
    return {.texts = {{"name", row.name}, {"state", row.state}, {"url", row.url}}, .lists = {}};
}

Values to_values(const ListedDevice& device) {
    return {.texts = {{"name", util::displayable(device.name)},
                      {"address", util::displayable(device.address)},
                      {"since", device.since},
                      {"last_seen", device.last_seen},
                      {"sid", device.sid},
                      {"is_this", device.is_this ? "yes" : ""}},
            .lists = {}};
}

Values to_values(const ListedApplication& application) {
    Values values{.texts = {{"client_id", application.client_id},
                            {"name", util::displayable(application.name)},
                            {"host", util::displayable(application.host)},
                            {"first_party", application.first_party ? "yes" : ""},
                            {"has_permissions", application.permissions.empty() ? "" : "yes"},
                            {"since", application.since},
                            {"last_used", application.last_used}},
                  .lists = {}};
    auto& permissions = values.lists["permissions"];
    for (const std::string& permission : application.permissions) permissions.push_back(one("text", permission));
    return values;
}

Values to_values(const ListedPasskey& passkey) {
    return {.texts = {{"name", util::displayable(passkey.name)},
                      {"id", passkey.id},
                      {"state", passkey.state},
                      {"since", passkey.since},
                      {"last_used", passkey.last_used}},
            .lists = {}};
}

Values to_values(const ListedActivity& line) {
    return {.texts = {{"text", line.text},
                      {"detail", util::displayable(line.detail)},
                      {"when", line.when},
                      {"where", util::displayable(line.where)}},
            .lists = {}};
}

Values to_values(const ListedClaim& claim) {
    return {.texts = {{"label", util::displayable(claim.label)}, {"value", util::displayable(claim.value)}},
            .lists = {}};
}

Values to_values(const ClaimField& field) {
    return {.texts = {{"name", field.name},
                      {"label", field.label},
                      {"type", field.type},
                      {"autocomplete", field.autocomplete},
                      {"value", util::displayable(field.value)},
                      {"is_wrong", field.is_wrong ? "yes" : ""}},
            .lists = {}};
}

/// For account_app_key.html, which is given `resume` too.
void add(Values& values, const AppKey& key) {
    values.texts["key"] = key.text;
    values.texts["link"] = key.link;
    values.texts["path"] = key.path;
    values.texts["size"] = key.size;
    values.texts["sealed"] = key.sealed;
}

/// For account_new_passkey.html, which is given `resume` and `passkey_problem` too.
void add(Values& values, const NewPasskey& fresh) {
    values.texts["options"] = fresh.options;
    values.texts["challenge"] = fresh.challenge;
    values.texts["proposed"] = fresh.name;
}

class TemplateAccountPages final : public AccountPages {
public:
    TemplateAccountPages(const std::string& directory, const Partials& partials)
        : overview_(read_template(directory, "account.html", partials)),
          password_(read_template(directory, "account_password.html", partials, Scripts::one)),
          devices_(read_template(directory, "account_devices.html", partials)),
          applications_(read_template(directory, "account_applications.html", partials)),
          app_(read_template(directory, "account_app.html", partials)),
          passkeys_(read_template(directory, "account_passkeys.html", partials, Scripts::one)),
          activity_(read_template(directory, "account_activity.html", partials)),
          profile_(read_template(directory, "account_profile.html", partials, Scripts::one)),
          codes_(read_template(directory, "account_codes.html", partials)),
          enrolment_(read_template(directory, "account_enrol.html", partials, Scripts::one)) {}

    http::Response overview(const OverviewPage& page) const override {
        Values values = values_of(page.frame);
        values.texts["name"] = util::displayable(page.name);
        values.texts["username"] = util::displayable(page.username);
        values.texts["subject"] = util::displayable(page.subject);
        values.texts["has_groups"] = page.groups.empty() ? "" : "yes";
        auto& groups = values.lists["groups"];
        for (const std::string& group : page.groups) groups.push_back(one("group", group));
        auto& rows = values.lists["rows"];
        for (const AccountRow& row : page.rows) rows.push_back(to_values(row));
        return respond(overview_, values, 200);
    }

    http::Response password(const PasswordPage& page, int status) const override {
        Values values = values_of(page.frame);
        values.texts["username"] = util::displayable(page.username);
        values.texts["min_length"] = page.min_length;
        values.texts["present_is_wrong"] = page.wrong == PasswordPage::Wrong::present ? "yes" : "";
        values.texts["new_is_wrong"] = page.wrong == PasswordPage::Wrong::fresh ? "yes" : "";
        return respond(password_, values, status);
    }

    http::Response devices(const DevicesPage& page) const override {
        Values values = values_of(page.frame);
        values.texts["has_others"] = page.devices.size() > 1 ? "yes" : "";
        auto& devices = values.lists["devices"];
        for (const ListedDevice& device : page.devices) devices.push_back(to_values(device));
        return respond(devices_, values, 200);
    }

    http::Response applications(const ApplicationsPage& page) const override {
        Values values = values_of(page.frame);
        values.texts["has_applications"] = page.applications.empty() ? "" : "yes";
        auto& applications = values.lists["applications"];
        for (const ListedApplication& application : page.applications) applications.push_back(to_values(application));
        return respond(applications_, values, 200);
    }

    http::Response app(const AppPage& page, int status) const override {
        Values values = values_of(page.frame);
        values.texts["since"] = page.since;
        values.texts["last_used"] = page.last_used;
        values.texts["another"] = page.another;
        values.texts["ends_codes"] = page.ends_codes ? "yes" : "";
        values.texts["resume"] = "";
        add(values, page.key);
        return respond(app_, values, status);
    }

    http::Response passkeys(const PasskeysPage& page) const override {
        Values values = values_of(page.frame);
        values.texts["title"] = page.list.empty() ? "Passkeys" : "Add a passkey";
        values.texts["is_list"] = page.list.empty() ? "yes" : "";
        values.texts["has_passkeys"] = page.passkeys.empty() ? "" : "yes";
        values.texts["wants_second"] = page.wants_second ? "yes" : "";
        values.texts["another"] = page.another;
        values.texts["accepted"] = page.accepted;
        values.texts["passkey_problem"] = "";
        values.texts["resume"] = "";
        add(values, page.fresh);
        values.texts["list"] = page.list;
        auto& passkeys = values.lists["passkeys"];
        for (const ListedPasskey& passkey : page.passkeys) passkeys.push_back(to_values(passkey));
        return respond(passkeys_, values, 200);
    }

    http::Response activity(const ActivityPage& page) const override {
        Values values = values_of(page.frame);
        values.texts["has_lines"] = page.lines.empty() ? "" : "yes";
        auto& lines = values.lists["lines"];
        for (const ListedActivity& line : page.lines) lines.push_back(to_values(line));
        return respond(activity_, values, 200);
    }

    http::Response profile(const ProfilePage& page) const override {
        const bool is_list = page.list.empty();
        Values values = values_of(page.frame);
        values.texts["title"] = is_list ? "Your profile" : "Change your profile";
        values.texts["is_list"] = is_list ? "yes" : "";
        values.texts["username"] = util::displayable(page.username);
        values.texts["keeper"] = page.keeper;
        values.texts["edit"] = page.edit;
        values.texts["subject"] = util::displayable(page.subject);
        values.texts["has_groups"] = page.groups.empty() ? "" : "yes";
        values.texts["sent"] = page.sent;
        values.texts["list"] = page.list;
        auto& groups = values.lists["groups"];
        for (const std::string& group : page.groups) groups.push_back(one("group", group));
        auto& claims = values.lists["claims"];
        for (const ListedClaim& claim : page.claims) claims.push_back(to_values(claim));
        auto& fields = values.lists["fields"];
        for (const ClaimField& field : page.fields) fields.push_back(to_values(field));
        return respond(profile_, values, 200);
    }

    http::Response codes(const CodesPage& page) const override {
        using Kind = CodesPage::Kind;
        const auto if_kind = [&](Kind kind) { return page.kind == kind ? "yes" : ""; };
        Values values = values_of(page.frame);
        values.texts["title"] = page.kind == Kind::shown  ? "Keep these codes"
                                : page.kind == Kind::asks ? "Make new recovery codes?"
                                                          : "Recovery codes";
        values.texts["none"] = if_kind(Kind::none);
        values.texts["asks"] = if_kind(Kind::asks);
        values.texts["shown"] = if_kind(Kind::shown);
        values.texts["left"] = page.kind == Kind::left ? page.left : "";
        values.texts["another"] = page.another;
        values.texts["stamp"] = page.stamp;
        values.texts["next"] = page.next;
        auto& codes = values.lists["codes"];
        for (const std::string& code : page.codes) codes.push_back(one("code", code));
        return respond(codes_, values, 200);
    }

    http::Response enrolment(const EnrolmentPage& page) const override {
        Values values{.texts = {{"username", util::displayable(page.username)},
                                {"action", page.action},
                                {"csrf", page.csrf},
                                {"resume", page.resume},
                                {"other_account", page.other_account},
                                {"problem", page.app_problem},
                                {"passkey_problem", page.passkey_problem}},
                      .lists = {}};
        add(values, page.passkey);
        add(values, page.key);
        return respond(enrolment_, values, 200);
    }

private:
    Template overview_;
    Template password_;
    Template devices_;
    Template applications_;
    Template app_;
    Template passkeys_;
    Template activity_;
    Template profile_;
    Template codes_;
    Template enrolment_;
};

}  // namespace

std::unique_ptr<const AccountPages> read_account_pages(const std::string& directory, const oauth::Branding& branding) {
    Partials partials = read_partials(directory, branding);
    for (const char* name : {"account_top.html", "account_message.html", "account_app_key.html",
                             "account_new_passkey.html", "passkey_add.js"})
        partials[name] = read_template_file(directory + "/" + name);
    return std::make_unique<TemplateAccountPages>(directory, partials);
}

}  // namespace postern::web
