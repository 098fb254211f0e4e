// Every page of the account, for everybody (inspect.mjs).
import { PAGES, openWorld } from "./every_page.mjs";
import { inspectAll } from "./inspect.mjs";

inspectAll(
  "every page of the account",
  openWorld,
  PAGES.filter(({ name }) => name.startsWith("account")),
);
