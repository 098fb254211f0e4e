// Who may use which client, as a condition of SQL. Private to this module.
#pragma once

/// True where the user `subject` may use the client of the row `c` of `clients`.
#define POSTERN_MAY_USE(subject)                                                                      \
    "(c.restricted = 0"                                                                               \
    " OR EXISTS (SELECT 1 FROM allowed_users a WHERE a.client_id = c.id AND a.subject = " subject     \
    ") OR EXISTS (SELECT 1 FROM group_members m JOIN allowed_groups a ON a.group_name = m.group_name" \
    " WHERE m.subject = " subject " AND a.client_id = c.id))"
