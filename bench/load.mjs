// Runs wrk for a while on a core of its own and tells what it saw; whatever was not a right answer is an error.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pinned } from "./machine.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const AT_MOST_S = 600; // wrk's own limit, if nobody should end it

/// The text of a Lua value.
export function lua(value) {
  if (Array.isArray(value)) return `{${value.map(lua).join(",")}}`;
  if (value !== null && typeof value === "object")
    return `{${Object.entries(value)
      .map(([name, one]) => `[${lua(name)}]=${lua(one)}`)
      .join(",")}}`;
  if (typeof value === "number") return String(value);
  const isPlain = (byte) => byte > 31 && byte < 127 && byte !== 34 && byte !== 92;
  const escaped = (byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, "0")}`);
  return `"${[...Buffer.from(value)].map(escaped).join("")}"`;
}

/// The bytes of a request, or of its beginning where a script adds the body.
export const head = (method, path, host, headers = {}) =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
  ].join("\r\n");
export const whole = (method, path, host, headers = {}, body = undefined) =>
  `${head(method, path, host, headers)}` +
  `${body === undefined ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`}\r\n${body ?? ""}`;

/// `script`: a file beside this one; `data`: what it is given, through a file in `directory` that nobody else can read;
/// `eachAlone`: one thread for each connection. Answers requests, seconds, bytes, p50, p99, longest (milliseconds) and,
/// of whole journeys, how many and theirs; no requests where the time was too short for one. Throws when one answer was
/// wrong.
export async function drive({ url, script, data, directory, seconds, core, connections = 16, eachAlone = false }) {
  const file = join(directory, "load.lua");
  writeFileSync(file, `return ${lua(data)}\n`, { mode: 0o600 });
  const words = [
    "wrk",
    "-t",
    String(eachAlone ? connections : 1),
    "-c",
    String(connections),
    "-d",
    `${AT_MOST_S}s`,
    "--timeout",
    "10s",
    "-s",
    join(HERE, script),
    url,
  ];
  const [program, ...rest] = pinned(core, words);
  const child = spawn(program, rest, {
    env: { ...process.env, POSTERN_BENCH_DATA: file, POSTERN_BENCH_LUA: HERE },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [said, complained] = ["", ""];
  // It prints what it has, and how long that took. Told so before it has gone to sleep it sleeps on: so it is told
  // again.
  let again;
  const stop = () => {
    child.kill("SIGINT");
    again ??= setInterval(stop, 500);
  };
  const timer = setTimeout(stop, seconds * 1000);
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complained += text;
    if (text.includes("low\n")) stop();
  });
  const [code, signal] = await new Promise((done, failed) =>
    child.once("error", failed).once("close", (...ended) => done(ended)),
  );
  clearTimeout(timer);
  clearInterval(again);
  if (signal === "SIGINT") return { requests: 0, journeys: 0 }; // it had not even begun
  const line = said.match(/^@(\{.*\})$/m)?.[1];
  if (code !== 0 || !line) throw new Error(`wrk ended with ${code}:\n${said}${complained}`);
  const seen = JSON.parse(line);
  const bad = Object.entries(seen.errors).filter(([, count]) => count !== 0);
  if (bad.length > 0)
    throw new Error(
      `wrong answers among ${seen.requests}: ${bad.map((pair) => pair.join(" ")).join(", ")} ${seen.firstWrong}`,
    );
  return {
    requests: seen.requests,
    seconds: seen.microseconds / 1e6,
    bytes: seen.bytes,
    p50: seen.p50 / 1000,
    p99: seen.p99 / 1000,
    longest: seen.longest / 1000,
    journeys: seen.journeys,
    journeyP50: seen.journeyP50 / 1000,
    journeyP99: seen.journeyP99 / 1000,
  };
}
