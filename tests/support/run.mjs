import { execFile } from "node:child_process";
import { promisify } from "node:util";

/// Runs a program: { stdout, stderr }, or an error that has both, and `code`.
export const run = promisify(execFile);
