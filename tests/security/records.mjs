// FastCGI 1.0 as bytes: what a web server, or somebody in its place, writes to a program's socket, and what comes back.
export const TYPE = {
  BEGIN: 1,
  ABORT: 2,
  END: 3,
  PARAMS: 4,
  STDIN: 5,
  STDOUT: 6,
  STDERR: 7,
  DATA: 8,
  GET_VALUES: 9,
  GET_VALUES_RESULT: 10,
  UNKNOWN: 11,
};
export const ROLE = { RESPONDER: 1, AUTHORIZER: 2, FILTER: 3 };
const KEEP_CONNECTION = 1;
const LONGEST_CONTENT = 65535;

/// One record (§3.3). `version`, `id`, `length` and `padding` may be anything, also what the content is not.
export function record(type, content = "", { version = 1, id = 1, padding = 0, length } = {}) {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content, "latin1");
  const header = Buffer.from([version, type, (id >> 8) & 255, id & 255, 0, 0, padding, 0]);
  header.writeUInt16BE(length ?? bytes.length, 4);
  return Buffer.concat([header, bytes, Buffer.alloc(padding)]);
}

/// Content of any length, in as many records as it takes, and the empty one that ends the stream.
export function stream(type, content, piece = LONGEST_CONTENT) {
  const bytes = Buffer.from(content, "latin1");
  const records = [];
  for (let at = 0; at < bytes.length; at += piece) records.push(record(type, bytes.subarray(at, at + piece)));
  return [...records, record(type)];
}

export const begin = ({ role = ROLE.RESPONDER, keep = false } = {}) =>
  record(TYPE.BEGIN, Buffer.from([role >> 8, role & 255, keep ? KEEP_CONNECTION : 0, 0, 0, 0, 0, 0]));

/// A length of a name or value (§3.4): one byte up to 127, else four with the highest bit set.
export function lengthBytes(length) {
  if (length < 128) return Buffer.from([length]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE((length | 0x80000000) >>> 0);
  return bytes;
}

/// Names and values as they are sent; `variables` is an object or an array of pairs, for names that come twice.
export function pairs(variables) {
  const list = Array.isArray(variables) ? variables : Object.entries(variables);
  return Buffer.concat(
    list.flatMap(([name, value]) => {
      const bytes = [name, String(value)].map((text) => Buffer.from(text, "latin1"));
      return [lengthBytes(bytes[0].length), lengthBytes(bytes[1].length), ...bytes];
    }),
  );
}

/// The CGI variables of a request as a web server sets them; `path` is below `issuer`.
export function variablesOf(issuer, { method = "GET", path, query = "", headers = {}, body = "", variables = {} }) {
  const { pathname, host, protocol } = new URL(issuer + path);
  const ofHeaders = Object.entries(headers).map(([name, value]) => [
    `HTTP_${name.toUpperCase().replaceAll("-", "_")}`,
    value,
  ]);
  return {
    GATEWAY_INTERFACE: "CGI/1.1",
    SERVER_SOFTWARE: "test",
    SERVER_PROTOCOL: "HTTP/1.1",
    REQUEST_METHOD: method,
    HTTPS: protocol === "https:" ? "on" : "",
    REQUEST_URI: pathname + (query && `?${query}`),
    QUERY_STRING: query,
    SCRIPT_NAME: pathname,
    REMOTE_ADDR: "192.0.2.7",
    HTTP_HOST: host,
    ...(body || method === "POST"
      ? { CONTENT_LENGTH: body.length, CONTENT_TYPE: "application/x-www-form-urlencoded" }
      : {}),
    ...Object.fromEntries(ofHeaders),
    ...variables,
  };
}

/// The records of one whole request.
export function conversation(issuer, request, { keep = false } = {}) {
  return [
    begin({ keep }),
    ...stream(TYPE.PARAMS, pairs(variablesOf(issuer, request))),
    ...stream(TYPE.STDIN, request.body ?? ""),
  ];
}

/// What a program wrote: { stdout, stderr, ended: how often it ended a request, protocolStatus: of the last, rest:
/// bytes that are no whole record }.
export function parseRecords(bytes) {
  const found = { stdout: "", stderr: "", ended: 0, protocolStatus: undefined, types: [] };
  let at = 0;
  while (bytes.length - at >= 8) {
    const size = 8 + bytes.readUInt16BE(at + 4) + bytes[at + 6];
    if (bytes.length - at < size) break;
    const content = bytes.subarray(at + 8, at + 8 + bytes.readUInt16BE(at + 4));
    const type = bytes[at + 1];
    found.types.push(type);
    if (type === TYPE.STDOUT) found.stdout += content.toString("utf8");
    if (type === TYPE.STDERR) found.stderr += content.toString("utf8");
    if (type === TYPE.END) {
      found.ended += 1;
      found.protocolStatus = content[4];
    }
    at += size;
  }
  found.rest = bytes.subarray(at);
  return found;
}

/// A CGI answer as { status, headers, body, json }; names of headers in lower case, those that come twice as an array.
export function parseCgi(text) {
  const end = text.indexOf("\r\n\r\n");
  const headers = {};
  for (const line of text.slice(0, Math.max(end, 0)).split("\r\n")) {
    const [, name, value] = line.match(/^([^:]+): (.*)$/) ?? [];
    if (name) headers[name.toLowerCase()] = value;
  }
  const answer = {
    status: Number(headers.status?.slice(0, 3) ?? 0),
    headers,
    body: end < 0 ? "" : text.slice(end + 4),
  };
  try {
    answer.json = JSON.parse(answer.body);
  } catch {
    /* not every answer is JSON */
  }
  return answer;
}
