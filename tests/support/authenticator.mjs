// An authenticator in software with the page's script in front of it: what a browser posts for a passkey (WebAuthn §6,
// §5.8.1), made of the options that the page gives.
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const FLAGS = { present: 0x01, verified: 0x04, credential: 0x40 };
const AAGUID = Buffer.alloc(16);
/// COSE (RFC 9053): per algorithm the key's members and how it signs.
const ALGORITHMS = {
  ES256: {
    make: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    members: ({ x, y }) => [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytesOf(x)],
      [-3, bytesOf(y)],
    ],
    digest: "sha256", // in DER
  },
  EdDSA: {
    make: () => generateKeyPairSync("ed25519"),
    members: ({ x }) => [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytesOf(x)],
    ],
    digest: null,
  },
  RS256: {
    make: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
    members: ({ n, e }) => [
      [1, 3],
      [3, -257],
      [-1, bytesOf(n)],
      [-2, bytesOf(e)],
    ],
    digest: "sha256",
  },
};

const bytesOf = (text) => Buffer.from(text, "base64url");
const sha256 = (bytes) => createHash("sha256").update(bytes).digest();

/// The shortest head (RFC 8949 §4.2.1).
function head(majorType, argument) {
  const first = majorType << 5;
  if (argument < 24) return Buffer.from([first | argument]);
  if (argument < 0x100) return Buffer.from([first | 24, argument]);
  return Buffer.from([first | 25, argument >> 8, argument & 0xff]);
}

/// Integers of at most 16 bits, bytes, text, and a map as an array of pairs.
function cbor(value) {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.length), ...value.flat().map(cbor)]);
}

/// One passkey, made at the first registration.
export class Authenticator {
  #keys;
  #algorithm;
  #userHandle = "";

  id = randomBytes(32);
  counter = 0; // none is kept
  verifies = true; // the user, by a PIN perhaps

  constructor(algorithm = "ES256") {
    this.#algorithm = ALGORITHMS[algorithm];
    this.#keys = this.#algorithm.make();
  }

  #data(rpId, more = 0, rest = Buffer.alloc(0)) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const flags = FLAGS.present | (this.verifies ? FLAGS.verified : 0) | more;
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, rest]);
  }

  /// The fields that the form of a new passkey sends. `page` is one of user_agent.mjs.
  register(page) {
    const options = JSON.parse(page.formWith("add-passkey").attributes["data-options"]);
    this.#userHandle = options.user.id;
    const key = cbor(this.#algorithm.members(this.#keys.publicKey.export({ format: "jwk" })));
    const length = Buffer.from([this.id.length >> 8, this.id.length & 0xff]);
    const credential = Buffer.concat([AAGUID, length, this.id, key]);
    const attestation = [
      ["fmt", "none"],
      ["attStmt", []],
      ["authData", this.#data(options.rp.id, FLAGS.credential, credential)],
    ];
    return {
      id: this.id.toString("base64url"),
      client_data: clientData("webauthn.create", options, page).toString("base64url"),
      attestation_object: cbor(attestation).toString("base64url"),
      transports: "usb",
      discoverable: "yes",
    };
  }

  /// The fields that the form of a login sends, or of its second step.
  use(page) {
    const options = JSON.parse(page.form.attributes["data-options"]);
    const client = clientData("webauthn.get", options, page);
    const data = this.#data(options.rpId);
    const signature = sign(this.#algorithm.digest, Buffer.concat([data, sha256(client)]), this.#keys.privateKey);
    return {
      id: this.id.toString("base64url"),
      client_data: client.toString("base64url"),
      authenticator_data: data.toString("base64url"),
      signature: signature.toString("base64url"),
      user_handle: this.#userHandle,
    };
  }
}

const clientData = (type, { challenge }, { url }) =>
  Buffer.from(JSON.stringify({ type, challenge, origin: new URL(url).origin, crossOrigin: false }));
