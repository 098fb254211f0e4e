import { onPostgreSQL } from "./suite.mjs";

onPostgreSQL("cgi", [["all of it holds"]], {
  durable: true,
  leftOut: [
    ["migration:", "a server has no database of an earlier schema"],
    ["read-only:", "the file's modes make it read-only; deployment.test.mjs has a read-only server"],
    ["damaged:", "the database file is damaged"],
    ["start: a database that is not this program's", "the database file is missing, damaged or another program's"],
  ],
});
