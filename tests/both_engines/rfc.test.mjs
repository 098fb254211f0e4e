import { onPostgreSQL } from "./suite.mjs";

onPostgreSQL(
  "rfc",
  [
    ["endpoints answer as the RFCs say", "--source-file=*rfc/rfc*_test.cpp"],
    ["endpoints answer as OpenID Connect and the rest say", "--source-file-exclude=*rfc/rfc*_test.cpp"],
  ],
  { roles: true },
);
