import { onPostgreSQL } from "./suite.mjs";

onPostgreSQL(
  "unit",
  ["fetch", "mail", "oauth", "oidc", "login", "web"].map((room) => [
    `the rules of ${room} hold`,
    `--source-file=*unit/${room}/*`,
  ]),
  { pooled: false },
);
