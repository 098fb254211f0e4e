// Decides which values the pages for devices are given.
#include "web/device/page.h"

#include "pages/renderer.h"
#include "util/text.h"

namespace postern::web {
namespace {

/// Read and looked at once, for every language.
struct DeviceTemplates {
    explicit DeviceTemplates(const pages::TemplateReader& read)
        : code(read("device.html", pages::Scripts::one)),
          consent(read("device_consent.html", pages::Scripts::one)),
          done(read("device_done.html")) {}

    pages::Template code, consent, done;
};

class TemplateDevicePages final : public pages::FromTemplates<DevicePages, DeviceTemplates> {
public:
    using FromTemplates::FromTemplates;

    http::Response code(const DeviceCodePage& page, int status) const override {
        pages::Values values{.texts = {{"username", util::displayable(page.username)},
                                       {"action", page.action},
                                       {"csrf", page.csrf},
                                       {"resume", page.resume},
                                       {"user_code", util::displayable(page.user_code)},
                                       {"problem", renderer_.say(page.problem)},
                                       {"code_wrong", page.code_wrong ? "yes" : ""}}};
        return renderer_.respond(templates_->code, std::move(values), status);
    }

    http::Response consent(const DeviceConsentPage& page) const override {
        pages::Values values{.texts = {{"client_name", renderer_.say(page.client_name)},
                                       {"username", util::displayable(page.username)},
                                       {"user_code", page.user_code},
                                       {"address", util::displayable(page.address)},
                                       {"asked_at", renderer_.say(page.asked_at)},
                                       {"has_scopes", page.scopes.empty() ? "" : "yes"},
                                       {"has_resources", page.resources.empty() ? "" : "yes"},
                                       {"action", page.action},
                                       {"csrf", page.csrf},
                                       {"resume", page.resume},
                                       {"other_account", page.other_account}}};
        auto& scopes = values.lists["scopes"];
        for (const auto& scope : page.scopes) scopes.push_back(pages::values_of(scope, renderer_));
        auto& resources = values.lists["resources"];
        for (const auto& resource : page.resources)
            resources.push_back({.texts = {{"resource", util::displayable(resource)}}});
        return renderer_.respond(templates_->consent, std::move(values), 200);
    }

    http::Response done(bool approved) const override {
        return renderer_.respond(templates_->done, {.texts = {{"approved", approved ? "yes" : ""}}}, 200);
    }
};

}  // namespace

std::unique_ptr<const pages::InLanguages<DevicePages>> read_device_pages(const pages::TemplateReader& read) {
    return in_languages<TemplateDevicePages>(read);
}

}  // namespace postern::web
