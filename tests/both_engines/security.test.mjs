import { filesOnPostgreSQL } from "./suite.mjs";

const NO_DATABASE = "it does not depend on the database";
const FILE = "it is about the database file";

filesOnPostgreSQL("security", {
  files: ["configuration", "crash", "introspection", "one_process", "races", "sandbox_flows", "secret_scan"],
  leftOut: {
    endurance: "it compares memory over hours",
    error_shape: NO_DATABASE,
    fastcgi_aborts: NO_DATABASE,
    fastcgi_records: NO_DATABASE,
    fetch: "the program has no database; tests/postgresql/roles.test.mjs has the rights of the cache",
    key_sets: "it makes rows of the file older; tests/postgresql/roles.test.mjs renews keys of a server",
    overload: "it occupies the processors; waiting for hash slots is the same",
    recovery: FILE,
    sandbox: "the rights of a process with a server are in deployment.test.mjs",
    sbom: NO_DATABASE,
    session_deliver: "it makes rows of the file due; tests/postgresql/roles.test.mjs delivers from a server",
    slow_bodies: NO_DATABASE,
    storage: FILE,
  },
});
