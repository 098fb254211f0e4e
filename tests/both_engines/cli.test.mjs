import { onPostgreSQL } from "./suite.mjs";

onPostgreSQL("cli", [["all of it holds"]], {
  durable: true,
  leftOut: [
    ["backup:", "the copy is compared with the file; deployment.test.mjs copies a server"],
    ["migrate:", "a server has no database of an earlier schema"],
    ["init: makes the database with WAL", "these are files"],
    ["init: when a later step fails", "the file beside the database is what fails"],
    ["stats: writes nothing", "the time of the file tells"],
    ["purge: copies the log back", "the log belongs to the file"],
    [
      "doctor: each state of database, disk and clock",
      "the file is damaged; deployment.test.mjs has a server's states",
    ],
    ["doctor: it does not make the write lock's file", "the lock belongs to the file"],
    ["doctor: what is broken is an error", "most of it is the modes of the file and of what is beside it"],
    ["doctor: of what is in a directory that cannot be looked into", "the directory of the file is one of two"],
  ],
});
