// The pages on which a user connects a device: what they are told, never how they look.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/message.h"
#include "pages/page.h"
#include "pages/renderer.h"
#include "text/message.h"

namespace postern::web {

/// The form for the code that the device shows.
struct DeviceCodePage {
    std::string username;  ///< who is logged in
    std::string action;
    std::string csrf;
    std::string resume;       ///< the sealed visit
    std::string user_code;    ///< typed before, or of the complete address, or ""
    text::Message problem;    ///< why nothing was allowed, or ""
    bool code_wrong = false;  ///< the problem is the code
};

/// The question whether the device gets access (RFC 8628 §3.3, §5.4).
struct DeviceConsentPage {
    text::Message client_name;
    std::string username;
    std::string user_code;  ///< for the user to compare with the device's screen
    std::string address;    ///< from which the code was asked for; "": not known
    text::Message asked_at;
    std::vector<pages::ConsentScope> scopes;
    std::vector<std::string> resources;
    std::string action;
    std::string csrf;
    std::string resume;
    std::string other_account;  ///< URL of the login page for the same visit, or ""
};

/// Makes these pages. An interface, as Pages is, so that no other program carries them.
class DevicePages {
public:
    DevicePages() = default;
    DevicePages(const DevicePages&) = delete;
    DevicePages& operator=(const DevicePages&) = delete;
    virtual ~DevicePages() = default;

    virtual http::Response code(const DeviceCodePage& page, int status) const = 0;
    virtual http::Response consent(const DeviceConsentPage& page) const = 0;
    /// Tells the user, who has answered, to return to the device.
    virtual http::Response done(bool approved) const = 0;
};

/// The templates of `read` whose names begin with device, and the files that every page splices in
/// (pages::read_pages, which says what is thrown).
std::unique_ptr<const pages::InLanguages<DevicePages>> read_device_pages(const pages::TemplateReader& read);

}  // namespace postern::web
