import { onPostgreSQL } from "./suite.mjs";

onPostgreSQL(
  "unit",
  [
    ...["store", "fetch", "oauth", "oidc", "web"].map((room) => [
      `the rules of ${room} hold`,
      `--source-file=*unit/${room}/*`,
    ]),
    ["queued statements run in their order", "--source-file=*unit/db/queue_test.cpp"],
  ],
  { pooled: false },
);
