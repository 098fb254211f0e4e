// Certificates of clients (RFC 8705): an authority for them, a stranger's, and those that are issued.
import { X509Certificate } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./run.mjs";
import { validity } from "./web_server.mjs";

/// An authority in `directory`, whose certificate is `file`: `issue(name, options)` answers { cert, key }, both as
/// text. `by` is "clients", "strangers" (another authority of the same name) or "itself"; negative `days` are over.
export async function makeAuthority(directory) {
  const file = (name) => join(directory, name);
  const newKey = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  for (const name of ["clients", "strangers"])
    await run("openssl", [
      ...newKey,
      ...["-x509", "-days", "2", "-subj", "/CN=Clients", "-addext", "keyUsage=critical,keyCertSign"],
      ...["-keyout", file(`${name}.key`), "-out", file(`${name}.pem`)],
    ]);
  let count = 0;
  const issue = async (name, { days = 2, by = "clients" } = {}) => {
    const own = (end) => file(`certificate${count}.${end}`);
    ++count;
    await run("openssl", [...newKey, "-subj", `/O=Example/CN=${name}`, "-keyout", own("key"), "-out", own("csr")]);
    await writeFile(own("ext"), `subjectAltName=DNS:${name}.example\nextendedKeyUsage=clientAuth\n`);
    const signer =
      by === "itself"
        ? ["-signkey", own("key")]
        : ["-CA", file(`${by}.pem`), "-CAkey", file(`${by}.key`), "-CAcreateserial"];
    const files = ["-in", own("csr"), "-extfile", own("ext"), "-out", own("pem")];
    await run("openssl", ["x509", "-req", ...files, ...signer, ...(await validity(days))]);
    return { cert: await readFile(own("pem"), "utf8"), key: await readFile(own("key"), "utf8") };
  };
  return { file: file("clients.pem"), issue };
}

/// What a token that is bound to the certificate has as `x5t#S256` (RFC 8705 §3.1).
export const thumbprintOf = (certificate) =>
  Buffer.from(new X509Certificate(certificate).fingerprint256.replaceAll(":", ""), "hex").toString("base64url");
