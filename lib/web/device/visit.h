// One visit of the page on which a user connects a device. Private to this room.
#pragma once

#include <string>

#include "model/authorization.h"
#include "web/device/page.h"
#include "web/interaction.h"

namespace postern::web {

inline constexpr const char* kUserCode = "user_code";
inline constexpr const char* kDecision = "decision";

/// The code of a visit, and whether the form has sent it.
struct VisitedCode {
    std::string letters;  ///< "": none
    bool is_sent = false;
};

/// One request of a visit, of a user whose login counts.
struct DeviceVisit {
    Interaction& interaction;
    const DevicePages& own;
    model::AuthorizationRequest request;  ///< the sealed one
    std::string sealed;

    oauth::Context& context() const { return interaction.context; }
    const oauth::Settings& settings() const { return interaction.context.settings; }
    const model::Session& session() const { return *interaction.browser.session; }
    const std::string& path() const { return *settings().paths.device; }
};

/// Returns the path of the page with the code; "": without one. `is_sent`: the form has sent the code, and it was
/// counted.
std::string path_with(const oauth::Settings& settings, const std::string& letters, bool is_sent);

/// Returns the code in the sealed path of the visit.
VisitedCode code_of(const DeviceVisit& visit);

/// Answers a visit whose user has no login that counts: with the login page. A login without a form gives the same
/// answer again, and then a page says why.
http::Response log_in(Interaction& interaction, const model::AuthorizationRequest& request);

/// Returns the page with the form for the code.
http::Response show_code(const DeviceVisit& visit, const std::string& typed, const text::Message& problem,
                         bool code_wrong = false, int status = 200);

/// Returns the same page for a code that no device waits with. `detail` is for the operator.
http::Response refuse_code(const DeviceVisit& visit, const std::string& typed, const std::string& detail);

/// Carries out what the form for the code sends.
http::Response submit_code(const DeviceVisit& visit);

/// Returns the question for a code that was sent before, or the step of the login that is missing.
http::Response show_sent(const DeviceVisit& visit, const std::string& letters);

/// Carries out the answer to the question.
http::Response submit_answer(DeviceVisit& visit, const std::string& letters);

/// Denies the device of a user who may not use its client. A code that was only in an address counts as sent.
http::Response go_back(const DeviceVisit& visit, const VisitedCode& code);

}  // namespace postern::web
