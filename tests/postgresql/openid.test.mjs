import { onPostgreSQL } from "./suite.mjs";

onPostgreSQL(
  "rfc",
  [["endpoints answer as OpenID Connect and the rest say", "--source-file-exclude=*rfc/rfc*_test.cpp"]],
  {
    roles: true,
  },
);
