// What is shipped for several nodes: HAProxy and systemd read it, and it is the configuration of a node.
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { BUILD, EXAMPLES, ROOT } from "../support/deployment.mjs";
import { ENDPOINTS } from "../support/endpoints.mjs";
import { run } from "../support/run.mjs";
import { makeCertificate } from "../support/web_server.mjs";

const shipped = (name) => readFile(join(ROOT, "examples/nodes", name), "utf8");
const told = (command, args, options) =>
  run(command, args, options).then(
    ({ stdout, stderr }) => ({ status: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ status: code, text: `${stdout}${stderr}` }),
  );
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;

describe("examples/nodes", () => {
  let directory;
  before(async () => (directory = await mkdtemp(join(tmpdir(), "pt-"))));
  after(() => rm(directory, { recursive: true, force: true }));

  it("HAProxy reads haproxy.cfg without a warning, and would have told a mistake", async () => {
    const { certificate, key } = await makeCertificate(directory);
    const both = join(directory, "both.pem");
    await writeFile(both, (await readFile(certificate, "utf8")) + (await readFile(key, "utf8")));
    const file = join(directory, "haproxy.cfg");
    const text = (await shipped("haproxy.cfg")).replace("/etc/haproxy/id.example.org.pem", both);
    assert.ok(text.includes(both));
    await writeFile(file, text);
    const env = { ...process.env, PATH };
    const { status, text: said } = await told("haproxy", ["-c", "-f", file], { env });
    assert.equal(status, 0, said);
    assert.doesNotMatch(said, /WARNING|ALERT/);
    await writeFile(file, text.replace("retries 2", "retrys 2"));
    assert.match((await told("haproxy", ["-c", "-f", file], { env })).text, /retrys/);
  });

  it("postern.json is one that the command accepts, of a node on a server", async () => {
    const { status, text } = await told(join(BUILD, "bin/postern"), ["why", "a0123456789ab"], {
      env: { ...process.env, POSTERN_CONFIG: join(ROOT, "examples/nodes/postern.json") },
    });
    assert.equal(status, 1);
    assert.match(text, /\/var\/lib\/postern\/refusals\.ring cannot be read|no refusal with the request id/);
  });

  it("each name of a server in postern.json has the address that the units may reach", async () => {
    const [, names, addresses] = (await shipped("postern.json")).match(/postgresql:\/\/([^/]+)\/.*hostaddr=([^&]+)&/);
    const [, allowed] = (await shipped("20-database.conf")).match(/^IPAddressAllow=(.*)$/m);
    assert.deepEqual(addresses.split(","), allowed.split(" "));
    assert.equal(names.split(",").length, addresses.split(",").length);
  });

  it("systemd reads the units without a word, beside the shipped ones", async () => {
    const root = join(directory, "root");
    const [system, programs] = [join(root, "usr/lib/systemd/system"), join(root, "usr/local")];
    for (const each of [system, join(programs, "bin"), join(programs, "lib/postern/cgi-bin"), join(root, "etc")])
      await mkdir(each, { recursive: true });
    const targets = ["sysinit", "basic", "multi-user", "sockets", "slices", "timers", "paths", "shutdown", "umount"];
    for (const target of [...targets, "local-fs", "network-online", "time-set", "time-sync"])
      await cp(`/usr/lib/systemd/system/${target}.target`, join(system, `${target}.target`));
    await cp(join(EXAMPLES, "systemd"), system, { recursive: true });
    for (const name of ["postern-key-sync.service", "postern-key-sync.timer"])
      await writeFile(join(system, name), await shipped(name));
    for (const name of ["postern-purge.service", "postern-purge.timer"])
      await cp(join(ROOT, "examples/postgresql", name), join(system, name));
    await cp("/usr/bin/true", join(programs, "bin/postern"));
    for (const endpoint of ENDPOINTS) await cp("/usr/bin/true", join(programs, "lib/postern/cgi-bin", endpoint));
    const manual = await readFile(join(ROOT, "docs/OPERATIONS.md"), "utf8");
    const [, copies] = manual.match(/```sh\n(for endpoint[^]*?done\n)/);
    const here = copies
      .replaceAll("sudo ", "")
      .replaceAll("/etc/systemd/system", system)
      .replaceAll("/usr/local", programs);
    await run("sh", ["-ec", here], { cwd: ROOT });
    await writeFile(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    const verify = (...names) => told("systemd-analyze", ["verify", `--root=${root}`, "--man=no", ...names]);
    const services = ["postern-key-sync.service", "postern-purge.service"];
    const names = [...services, "postern-key-sync.timer", "postern-purge.timer", "postern-token@1.service"];
    assert.deepEqual(await verify(...names), { status: 0, text: "" });
    const security = (service) =>
      told("systemd-analyze", ["security", "--offline=true", `--root=${root}`, "--no-pager", service]);
    for (const [endpoint, has] of [
      ["authorize", false],
      ["token", false],
      ["jwks", true],
      ["discovery", true],
    ]) {
      const { text } = await security(`postern-${endpoint}@1.service`);
      assert.match(text, has ? /✓ PrivateNetwork=/ : /✗ PrivateNetwork=/, endpoint);
    }
    for (const service of services) {
      const exposure = await security(service);
      const level = Number(exposure.text.match(/Overall exposure level for [^:]*: ([0-9.]+)/)?.[1]);
      assert.ok(level < 4, exposure.text);
    }
  });
});
