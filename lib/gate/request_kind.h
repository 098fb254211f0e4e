// The kind of a request that needs a sign-in: only a page that a person opens is led to one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gate/question.h"

namespace postern::gate {

enum class RequestKind {
    navigation,  ///< a person opens a page, which a redirect can bring back later
    form,        ///< a person sends a form, which is lost when the browser is redirected
    other,       ///< a script, a picture, a frame, a page that is fetched before anybody asked for it
};

/// The variables that request_kind reads.
std::vector<std::string> request_kind_variables();

/// Returns the kind of a request with that method (GATE-15). Where the browser sends no Sec-Fetch-Mode, Accept decides.
RequestKind request_kind(std::string_view method, const Variables& variables);

}  // namespace postern::gate
