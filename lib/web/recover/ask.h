// The page on which a user who has forgotten the password asks for a link by mail. docs/decisions/0080-mail.md
#pragma once

#include "http/message.h"
#include "oauth/context.h"
#include "web/recover/page.h"

namespace postern::web {

/// Answers for the page that sends a link. A GET shows the form. A POST gets one and the same page, whatever was typed
/// and however often the caller has asked (MAIL-4, MAIL-6): the name is looked for once, and one row is written for the
/// command that sends. Nothing of what was typed is kept but digests, and `language`, the tag of that of `own`, in
/// which the message will be.
http::Response ask_for_link(oauth::Context& context, const RecoverPages& own, const http::Request& request,
                            const std::string& language);

}  // namespace postern::web
