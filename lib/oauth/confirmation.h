// The member `cnf` of tokens and of introspection (RFC 7800 §3.1; RFC 9449 §6, RFC 8705 §3).
#pragma once

#include "json/value.h"
#include "model/confirmation.h"

namespace postern::oauth {

/// Adds `cnf`; nothing for a bearer token.
void add_confirmation(const model::Confirmation& confirmation, json::Object& object);

/// Returns the keys in `cnf` of verified claims; empty where there is none.
model::Confirmation confirmation_in(const json::Object& claims);

}  // namespace postern::oauth
