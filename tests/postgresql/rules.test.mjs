import { onPostgreSQL } from "./suite.mjs";

onPostgreSQL(
  "unit",
  ["store", "oauth", "oidc", "web"].map((room) => [`the rules of ${room} hold`, `--source-file=*unit/${room}/*`]),
  { pooled: false },
);
