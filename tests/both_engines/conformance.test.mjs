import { filesOnPostgreSQL } from "./suite.mjs";

filesOnPostgreSQL("conformance", {
  files: ["plans"],
  leftOut: {
    modules: "it examines whether a module notices a faulty server, whichever database that has",
  },
});
