import { onPostgreSQL } from "./suite.mjs";

const STORED = [
  "code_replay",
  "disabled_client_and_user",
  "key_rotation",
  "login_throttle",
  "refresh_rotation",
  "remembered_consent",
  "revocation_races",
  "secrets_stay_secret",
  "storage_busy_and_read_only",
  "token_status_switches",
];

onPostgreSQL("cgi", [["flows keep what must be kept", `--source-file=${STORED.map((name) => `*cgi/${name}_*`)}`]], {
  whole: true,
  leftOut: [
    ["migration:", "a server has no database of an earlier schema"],
    ["read-only:", "the file's modes make it read-only; deployment.test.mjs has a read-only server"],
    ["damaged:", "the database file is damaged"],
    ["start: a database that is not this program's", "the database file is missing, damaged or another program's"],
  ],
});
