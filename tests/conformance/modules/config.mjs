// The one module of the plan `oidcc-config-certification-test-plan`.
import { checkDiscovery } from "../checks/server.mjs";

export const CONFIG = {
  // The issuer and the key set are looked at in the set-up, as in every module.
  "oidcc-discovery-endpoint-verification": async (run) => {
    run.check(checkDiscovery(run.discovery));
  },
};
