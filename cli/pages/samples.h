// Every page with sample values, which `postern pages` writes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "http/message.h"
#include "pages/page.h"
#include "text/message.h"
#include "web/account/page.h"
#include "web/device/page.h"
#include "web/recover/page.h"

namespace postern::cli {

struct SamplePage {
    std::string name;  ///< of the file: that of the template, and behind a hyphen the state, "login-problem.html"
    std::string html;  ///< as a browser gets it
};

class SampleList {
public:
    /// `name` without ".html": that of the template, and behind a hyphen the state.
    void add(std::string name, http::Response page) {
        pages.push_back({std::move(name) + ".html", std::move(page.body)});
    }
    std::vector<SamplePage> pages;
};

inline constexpr const char* kHere = "#";  ///< where links and forms lead
inline constexpr const char* kUser = "ada";
inline constexpr const char* kHost = "wiki.example.org";
/// The request for a passkey that a browser gets at a sign-in.
inline constexpr const char* kPasskeyRequest = R"({"challenge":"AAAA","rpId":"id.example.org","allowCredentials":[]})";

text::Message sample_client();
text::Message sample_day();
text::Message sample_time();
login::NewPasskey sample_passkey();
web::AppKey sample_key();

void add_sign_in_samples(SampleList& list, const pages::Pages& pages);
/// `keeper` is the service whose operator can change a user's profile.
void add_account_samples(SampleList& list, const web::AccountPages& pages, const std::string& keeper);
void add_device_samples(SampleList& list, const web::DevicePages& pages);
void add_recover_samples(SampleList& list, const web::RecoverPages& pages);

}  // namespace postern::cli
