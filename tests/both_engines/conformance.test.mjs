import { filesOnPostgreSQL } from "./suite.mjs";

filesOnPostgreSQL("conformance", {
  files: ["form_post", "plans"],
  leftOut: {
    checks: "it examines the modules' own checks, without a server",
    modules: "it examines whether a module notices a faulty server, whichever database that has",
  },
});
