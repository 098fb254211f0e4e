// The client that calls the token endpoint, and its proof (RFC 6749 §2.3, §3.2.1)
#pragma once

#include <optional>
#include <string>

#include "http/message.h"
#include "model/client.h"
#include "oauth/client_assertion.h"
#include "oauth/context.h"
#include "oauth/credentials.h"
#include "oauth/error.h"

namespace postern::oauth {

/// The client that the credentials prove and that nothing bars (find_client_bar); with `clientAssertions` also one that
/// an assertion in the body of `request` proves, and with `mtls` one that its certificate proves. invalid_client for
/// everything else, in the same words and with the same work done, whether the client is unknown, barred, or the secret
/// is wrong; the log tells them apart. The error of `check` where that refuses.
Outcome<model::Client> authenticate_client(Context& context, const Credentials& credentials,
                                           const http::Request& request, const CheckBefore& check = {});

/// The origin of the id when it is the URL of a document and no client is stored under it: an application in a browser,
/// which no user has approved yet or any more, can read what it is told. nullopt for every other.
std::optional<std::string> reader_of_document(Context& context, const Credentials& credentials);

}  // namespace postern::oauth
