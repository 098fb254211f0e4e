import { sharedHosting } from "../support/fronts/shared_hosting.mjs";
import { flows } from "./flow.mjs";
import { wires } from "./wire.mjs";

const generous = sharedHosting({ allowsAuthConfig: true });
flows("a shared host with .htaccess and wrapper scripts", generous, { redirectsPlain: false });
// The limits are the host's: 8190 bytes of request line, and the program's own of the body.
wires("a shared host with .htaccess and wrapper scripts", generous, { longestLine: 8190 });
flows("a shared host that allows no CGIPassAuth", sharedHosting({ allowsAuthConfig: false }), {
  redirectsPlain: false,
});
