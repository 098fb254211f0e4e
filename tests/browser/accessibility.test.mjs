// Every page that the server can show but those of the account, for everybody (inspect.mjs).
import { PAGES, REMOTE_PAGES, openRemoteWorld, openWorld } from "./every_page.mjs";
import { inspectAll } from "./inspect.mjs";

const isOfAccount = ({ name }) => name.startsWith("account");
inspectAll(
  "every page",
  openWorld,
  PAGES.filter((entry) => !isOfAccount(entry)),
);
inspectAll("every page where the web server signs people in", openRemoteWorld, REMOTE_PAGES);
