// What an authenticator app shows (RFC 6238: SHA-1, six digits, 30 seconds).
import { createHmac } from "node:crypto";

/// `key` in base32, as a page shows it.
export function totp(key, seconds) {
  const digits = [...key.replaceAll(" ", "")].map((digit) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(digit));
  const bits = digits.map((digit) => digit.toString(2).padStart(5, "0")).join("");
  const bytes = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(seconds / 30)));
  const digest = createHmac("sha1", bytes).update(counter).digest();
  const number = digest.readUInt32BE(digest[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
