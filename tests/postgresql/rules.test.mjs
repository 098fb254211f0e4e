import { onPostgreSQL } from "../both_engines/suite.mjs";

onPostgreSQL(
  "unit",
  [
    ["the repositories keep what they keep in a file", "--source-file=*unit/store/*"],
    ["queued statements run in their order", "--source-file=*unit/db/write_test.cpp"],
  ],
  { pooled: false },
);
