// Links: what opening one shows, and what its form does. docs/decisions/0076-links.md, 0080-mail.md
#pragma once

#include "http/message.h"
#include "oauth/context.h"
#include "pages/page.h"
#include "web/recover/page.h"

namespace postern::web {

/// Answers for a link. A GET shows whose account it is and what will happen, and spends nothing: mail scanners open
/// links (LINK-3). A POST of the form that this browser was shown spends the link in the transaction that does what it
/// is for. No session comes out of it. A link that is unknown, used, expired, void or cut gets one and the same page.
/// At `paths.recover` itself it is request_link().
http::Response recover(oauth::Context& context, const pages::PageBook& pages,
                       const pages::InLanguages<RecoverPages>& own, const http::Request& request);

}  // namespace postern::web
