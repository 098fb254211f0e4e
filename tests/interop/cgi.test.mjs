// The code flow against one process per request.
import { codeFlow } from "./code_flow.mjs";

codeFlow("cgi");
