// The code flow against long-lived processes.
import { codeFlow } from "./code_flow.mjs";

codeFlow("fastcgi");
