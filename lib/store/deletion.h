// How expired rows are deleted on both engines. Private to this module.
#pragma once

#include "db/database.h"

/// A db::Text of `selection`, which begins with "DELETE FROM ... WHERE ... IN (SELECT ..." and is closed here, and of
/// the conditions behind it. Where transactions run side by side, the selection locks what is deleted, and a row that
/// another transaction has locked is left for the next time: a grant that is being prolonged stays, with what is
/// inserted under it, and so does a counter that has just been counted.
#define POSTERN_DELETION(selection, ...) \
    { selection ")" __VA_ARGS__, selection " FOR UPDATE SKIP LOCKED)" __VA_ARGS__ }
