// A page in the form in which every web server passes it on from an authorizer.
#pragma once

#include "http/message.h"

namespace postern::web {

/// Returns the page with a short style sheet in the place of its own, because Apache's mod_authnz_fcgi reads 8 KiB of
/// an answer and cuts off the rest, and in ASCII, because it calls every page ISO-8859-1. Answers without a style sheet
/// stay as they are.
http::Response small_page(http::Response page);

}  // namespace postern::web
