import type { Lab } from "../lab.js";
import { waitFor } from "../processes/index.js";
import type { Progress } from "../progress.js";
import { fabricNetworks, type ReflectorName, reflectorNames, underlay } from "../topology.js";
import { execute } from "./command.js";
import { evpnRoutes } from "./evpn-routes.js";
import { gatewayCommands } from "./gateway.js";
import { leafCommands } from "./leaf.js";
import { createReflector, reflectorDaemon, startReflector } from "./reflector.js";
import { underlayCommands } from "./underlay.js";
import { wrongDoorCommands } from "./wrong-door.js";

/** Type 3 of RFC 7432 section 7: "send me what is for everybody". */
const INCLUSIVE_MULTICAST = 3;

/** Builds the fabric in a lab that has its isolation and nothing else. */
export async function fabricUp(lab: Lab, progress: Progress): Promise<void> {
  await progress.step("underlay, segments, gateway and client", () =>
    execute(lab, [...underlayCommands(), ...leafCommands(), ...gatewayCommands(), ...wrongDoorCommands()]),
  );
  await progress.step("route reflectors", async () => {
    await Promise.all(reflectorNames.map((name) => createReflector(lab, name)));
    await allJoined(lab);
  });
}

/** Starts what does not run of a fabric that was up: a reflector that somebody stopped. Namespaces and links need no process. */
export async function fabricRepair(lab: Lab): Promise<void> {
  await Promise.all(reflectorNames.map((name) => startReflector(lab, name)));
  await allJoined(lab);
}

async function allJoined(lab: Lab): Promise<void> {
  await Promise.all(reflectorNames.map((name) => joined(lab, name)));
}

/** Waits until a reflector has the other's Type-3 in every segment: the session is up, and FRR has found its bridges. */
async function joined(lab: Lab, name: ReflectorName): Promise<void> {
  const others = reflectorNames.filter((other) => other !== name).map((other) => underlay.reflectors[other]);
  const wanted = others.flatMap((other) => fabricNetworks.map(({ vni }) => ({ from: other, vni })));
  await waitFor(
    `${name} to hold the other reflector's Type-3 routes`,
    async () => {
      const routes = (await evpnRoutes(lab, name)).filter(({ routeType }) => routeType === INCLUSIVE_MULTICAST);
      return wanted.every(({ from, vni }) =>
        routes.some((route) => route.from === from && route.routeTargets.some((target) => target.endsWith(`:${vni}`))),
      );
    },
    { log: lab.logFile(reflectorDaemon(name, "bgpd")) },
  );
}
