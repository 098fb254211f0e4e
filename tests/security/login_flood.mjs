// How much longer an introspection takes while more people sign in than the machine can hash: node
// tests/security/login_flood.mjs Prints one line of JSON. A ratio of two figures of one run, since the figures
// themselves say more about the machine.
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { formOf, request } from "../support/user_agent.mjs";
import { basicOf, formText, openProvider } from "./provider.mjs";

const INTROSPECTIONS = Number(process.env.POSTERN_INTROSPECTIONS ?? 3000);
const BROWSERS = 32;

/// Wrong passwords from many browsers, until it is told to stop; in a thread of its own, or it would hold up the clock.
async function flood({ url, forms }) {
  let over = false;
  parentPort.once("message", () => {
    over = true;
  });
  const statuses = {};
  await Promise.all(
    forms.map(async ({ fields, cookie }, i) => {
      for (let n = 0; !over; ++n) {
        const body = formText({ ...fields, username: `nobody-${i}-${n}`, password: "wrong" });
        const { status } = await request(url, {
          method: "POST",
          body,
          headers: { cookie, "content-type": "application/x-www-form-urlencoded", "content-length": body.length },
        });
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    }),
  );
  parentPort.postMessage(statuses);
}

async function compare() {
  const p = await openProvider({ tls: false, config: { login: { maxFailures: 10000 } } });
  try {
    const { access_token: token } = await p.tokens(p.clients.web);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const body = formText({ token });
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": body.length,
      authorization: basicOf(p.clients.other.id, p.clients.other.secret),
    };
    const introspect = () =>
      new Promise((done, failed) => {
        http
          .request(`${p.issuer}/token/introspect`, { method: "POST", agent, headers }, (answer) =>
            answer.resume().on("end", () => done(answer.statusCode)),
          )
          .on("error", failed)
          .end(body);
      });
    const measure = async () => {
      const times = [];
      for (let i = 0; i < INTROSPECTIONS; ++i) {
        const began = process.hrtime.bigint();
        if ((await introspect()) !== 200) throw new Error("an introspection was refused");
        times.push(Number(process.hrtime.bigint() - began) / 1e6);
      }
      times.sort((a, b) => a - b);
      const at = (share) => times[Math.floor(times.length * share)];
      return { p50: at(0.5), p99: at(0.99), max: times.at(-1) };
    };
    await measure(); // warm
    const quiet = await measure();
    const forms = await Promise.all(
      Array.from({ length: BROWSERS }, async () => {
        const person = p.person();
        const page = await person.visit(p.authorizationUrl(p.clients.web));
        return { fields: formOf(page.body).fields, cookie: person.cookieHeader };
      }),
    );
    const flooding = new Worker(fileURLToPath(import.meta.url), { workerData: { url: `${p.issuer}/login`, forms } });
    const statuses = once(flooding, "message");
    const flooded = await measure();
    flooding.postMessage("stop");
    const [logins] = await statuses;
    const ratio = Object.fromEntries(["p50", "p99"].map((name) => [name, flooded[name] / quiet[name]]));
    console.log(
      JSON.stringify({ milliseconds: { quiet, flooded }, logins, ratio }, (_, value) =>
        typeof value === "number" ? Math.round(value * 100) / 100 : value,
      ),
    );
  } finally {
    await p.stop();
  }
}

await (isMainThread ? compare() : flood(workerData));
