// lighttpd with a number of processes of each program, and these processes themselves.
import { readFileSync, readdirSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fastcgi } from "../support/fronts/lighttpd.mjs";

export function childrenOf(parent) {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => {
    try {
      return (
        Number(
          readFileSync(`/proc/${pid}/stat`, "utf8")
            .replace(/^.*\) /s, "")
            .split(" ")[1],
        ) === parent
      );
    } catch {
      return false;
    }
  });
}

/// What openProvider takes as `front`, and afterwards the processes it started. The configuration is the one that is
/// shipped, with `count` in the place of its own numbers of processes.
export class Workers {
  #server;

  constructor(count) {
    this.count = count;
  }

  get front() {
    return async (site) => {
      const examples = join(site.directory, "examples");
      await cp(join(site.examples, "lighttpd"), join(examples, "lighttpd"), { recursive: true });
      const file = join(examples, "lighttpd/postern-fastcgi.conf");
      const text = await readFile(file, "utf8");
      if (!/"max-procs" => \d+/.test(text)) throw new Error("the shipped configuration has no max-procs");
      await writeFile(file, text.replace(/"max-procs" => \d+/g, `"max-procs" => ${this.count}`));
      return (this.#server = await fastcgi({ ...site, examples }));
    };
  }

  /// [{ pid, program }] of those that live now.
  get processes() {
    return childrenOf(this.#server.pid).flatMap((pid) => {
      // Not `exe`: a process that refuses to be dumped shows it to root alone.
      try {
        return [{ pid, program: readFileSync(`/proc/${pid}/comm`, "utf8").trim() }];
      } catch {
        return [];
      }
    });
  }
}
