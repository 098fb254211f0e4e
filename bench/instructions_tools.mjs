// Runs a program of a site under an instrument and reads what that has counted.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { conversation, parseCgi, parseRecords, variablesOf } from "../tests/security/records.mjs";
import { SingleProcess } from "../tests/security/single_process.mjs";
import { identity } from "../tests/support/web_server.mjs";

/// A processor of one kind on every machine: with SSE up to 4.2, AES and carry-less multiplication, as all servers
/// have, and without AVX, BMI, random numbers and fast strings, which libraries would take where they are there.
const PROCESSOR = {
  OPENSSL_ia32cap: "0x0298020307808110:0",
  GLIBC_TUNABLES:
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI1,-BMI2,-LZCNT,-MOVBE,-ERMS,-FSRM," +
    "-RTM,-XSAVE,-XSAVEC",
};
/// Requests of a process. The first few are dearer: statements are prepared, tables grow.
const FEW = 4;
export const MANY = 24;
/// Read the time without the kernel, where the kernel lets them.
const WITHOUT_KERNEL = ["clock_gettime", "gettimeofday", "time"];
const ALLOCATES = new Set([
  "malloc",
  "calloc",
  "realloc",
  "reallocarray",
  "memalign",
  "posix_memalign",
  "aligned_alloc",
]);

const callgrind = {
  counts: ["instructions", "allocations"],
  command: (file) => [
    "valgrind",
    "--tool=callgrind",
    "--quiet",
    `--callgrind-out-file=${file}`,
    "--compress-strings=no",
    "--compress-pos=no",
  ],
  /// Calls of one allocating function by another, as realloc(NULL) does, are one allocation.
  read(text) {
    const found = { instructions: Number(text.match(/^summary: (\d+)$/m)[1]), allocations: 0 };
    // who has the C library's debugging information sees other names
    const plain = (name) => name.replace(/^__(libc_)?/, "");
    let caller = "";
    let called = "";
    for (const line of text.split("\n")) {
      if (line.startsWith("fn=")) caller = plain(line.slice(3));
      else if (line.startsWith("cfn=")) called = plain(line.slice(4));
      else if (line.startsWith("calls=") && ALLOCATES.has(called) && !ALLOCATES.has(caller))
        found.allocations += Number(line.match(/\d+/)[0]);
    }
    return found;
  },
};

const strace = {
  counts: ["system_calls"],
  command: (file) => ["strace", "-f", "-c", "-U", "name,calls,errors", "-o", file],
  /// Without poll(2), and reads that found nothing: they are there when the process was faster than whoever writes to
  /// it.
  read(text) {
    const lines = [...text.matchAll(/^(\w+) +(\d+)(?: +(\d+))? *$/gm)].map(([, name, calls, errors]) => ({
      name,
      calls: Number(calls),
      errors: Number(errors ?? 0),
    }));
    const total = lines.pop();
    const sum = (some) => some.reduce((all, { calls }) => all + calls, 0);
    if (total?.name !== "total" || sum(lines) !== total.calls)
      throw new Error(`strace's table is not understood:\n${text}`);
    const counted = lines.filter(({ name }) => name !== "poll" && !WITHOUT_KERNEL.includes(name));
    return { system_calls: sum(counted) - (counted.find(({ name }) => name === "read")?.errors ?? 0) };
  },
};

const INSTRUMENTS = { callgrind, strace };

/// A command runs with these variables and no other.
const alone = (variables) => [
  "/usr/bin/env",
  "-i",
  ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
];

/// Whatever is measured was answered as it should be.
function verify({ name, status, shows }, text) {
  const answer = parseCgi(text);
  if (answer.status !== status || !(shows ?? /^/).test(text))
    throw new Error(`${name}: not answered as expected: ${text.slice(0, 2000)}`);
  return answer;
}

/// What `instrument` counts while one process starts, answers `count` requests of a row, see ROWS, and ends.
async function asFastCgi(site, row, instrument, count) {
  const place = await site.copy();
  const file = join(place.directory, instrument);
  const variables = { ...site.variables(place), ...PROCESSOR, POSTERN_MAX_REQUESTS: count };
  const worker = await SingleProcess.start(place, row.program, {
    under: [...alone(variables), ...INSTRUMENTS[instrument].command(file)],
  });
  try {
    for (let i = 0, former; i < count; ++i) {
      const records = conversation(place.issuer, row.request(site.prepared, i, former));
      former = verify(row, parseRecords(await worker.send(records)).stdout);
    }
  } catch (error) {
    await worker.stop();
    throw new Error(`${error.message}\n${worker.log.slice(-2000)}`);
  }
  const code = await worker.ended;
  if (code !== 0) throw new Error(`${row.name}: ended with ${code}: ${worker.log.slice(-2000)}`);
  return { file, ...INSTRUMENTS[instrument].read(readFileSync(file, "utf8")) };
}

/// The same of a process that a web server starts for one request.
async function asCgi(site, row, instrument) {
  const place = await site.copy();
  const file = join(place.directory, instrument);
  const request = row.request(site.prepared, 0);
  const variables = { ...variablesOf(place.issuer, request), ...site.variables(place), ...PROCESSOR };
  const [command, ...args] = [
    ...alone(variables),
    ...INSTRUMENTS[instrument].command(file),
    join(place.cgiBin, row.program),
  ];
  const child = spawn(command, args, {
    cwd: place.directory,
    ...(process.getuid() === 0 ? { uid: identity.uid, gid: identity.gid } : {}),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  child.stdin.on("error", () => {}).end(request.body ?? "");
  const code = await new Promise((done, failed) => {
    child.once("close", done).once("error", failed);
  });
  if (code !== 0) throw new Error(`${row.name}, CGI: ended with ${code}: ${stderr.slice(-2000)}`);
  verify(row, stdout);
  return { file, ...INSTRUMENTS[instrument].read(readFileSync(file, "utf8")) };
}

/// A row's counts for one request, { instructions, allocations, system_calls }: what more requests cost more, so that
/// neither starting nor ending is in them, nor what only the first requests of a process do.
export async function ofRequest(site, row) {
  const counts = {};
  for (const instrument of Object.keys(INSTRUMENTS)) {
    const few = await asFastCgi(site, row, instrument, FEW);
    const many = await asFastCgi(site, row, instrument, MANY);
    for (const counted of INSTRUMENTS[instrument].counts)
      counts[counted] = (many[counted] - few[counted]) / (MANY - FEW);
  }
  return counts;
}

/// The same of a whole process in its CGI form: starting, one request, ending.
export async function ofProcess(site, row) {
  const counts = {};
  for (const instrument of Object.keys(INSTRUMENTS)) {
    const all = await asCgi(site, row, instrument);
    for (const counted of INSTRUMENTS[instrument].counts) counts[counted] = all[counted];
  }
  return counts;
}
