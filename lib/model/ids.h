// The identifiers and digests of this server, each a type of its own.
#pragma once

#include "util/tagged.h"

namespace postern::model {

using ClientId = util::Tagged<struct ClientIdTag>;  ///< RFC 6749 §2.2
using Subject = util::Tagged<struct SubjectTag>;    ///< `sub` of a user: random, never reused, never a client's id
using GrantId = util::Tagged<struct GrantIdTag>;
using Sid = util::Tagged<struct SidTag>;  ///< a session's inner id: `sid` of ID tokens, stable over cookie changes
using RequestKey = util::Tagged<struct RequestKeyTag>;  ///< SHA-256 (hex) of an authorization request's id
using ValueHash =
    util::Tagged<struct ValueHashTag>;  ///< SHA-256 (hex) of a code, token, session cookie or client secret

}  // namespace postern::model
