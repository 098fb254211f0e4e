// The proxies whose recipes docs/OPERATIONS.md has ("Other proxies"), started by them. Nothing installs their programs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/deployment.mjs";
import { WebServer } from "../support/web_server.mjs";

/// The recipe that begins with `beginning`, with other texts in the place of the examples' ones.
function recipe(beginning, texts) {
  const manual = readFileSync(join(ROOT, "docs/OPERATIONS.md"), "utf8");
  const [block] = manual.match(/```\w+\n[^]*?\n```/g).filter((each) => each.split("\n")[1] === beginning);
  return Object.entries(texts).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the recipe has no ${from}`);
    return text.replaceAll(from, to);
  }, block.split("\n").slice(1, -1).join("\n"));
}

const caddy = {
  name: "Caddy",
  program: "caddy",
  hidesCookies: true, // those of Postern, from the application
  refusesThem: true, // headers of the connection that are not usual
  opensWebSockets: true,
  start({ deployment, port, url, behind, file }) {
    const site = recipe("wiki.example.org {", {
      "wiki.example.org {": `${url} {\n    tls ${file("tls.pem")} ${file("tls.key")}`,
      "https://id.example.org": deployment.issuer,
      "Host id.example.org": `Host ${new URL(deployment.issuer).host}`,
      "127.0.0.1:8000": `127.0.0.1:${behind}`,
    });
    writeFileSync(file("Caddyfile"), `{\n    admin off\n    auto_https disable_redirects\n}\n${site}\n`);
    return new WebServer("caddy", ["run", "--adapter", "caddyfile", "--config", file("Caddyfile")], {
      env: { SSL_CERT_FILE: deployment.caFile, HOME: deployment.directory },
    });
  },
};

const traefik = {
  name: "Traefik",
  program: "traefik",
  hidesCookies: false,
  refusesThem: false,
  opensWebSockets: false,
  start({ deployment, port, behind, file }) {
    const dynamic = recipe("http:", {
      "handbook.example.org": "localhost",
      "https://id.example.org": deployment.issuer,
      "127.0.0.1:8000": `127.0.0.1:${behind}`,
    });
    const certificate = `    - certFile: ${file("tls.pem")}\n      keyFile: ${file("tls.key")}`;
    writeFileSync(file("traefik.yml"), `${dynamic}\ntls:\n  certificates:\n${certificate}\n`);
    const options = [
      `--entryPoints.site.address=127.0.0.1:${port}`,
      "--entryPoints.site.http.tls=true",
      `--providers.file.filename=${file("traefik.yml")}`,
      "--global.checkNewVersion=false",
    ];
    return new WebServer("traefik", options, { env: { SSL_CERT_FILE: deployment.caFile } });
  },
};

export const PROXIES = [caddy, traefik];
