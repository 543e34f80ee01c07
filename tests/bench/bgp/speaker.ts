/**
 * Our speaker as a program of its own: `node speaker.js NETWORKS HOSTS`. It says its process number, and in nanoseconds of
 * CLOCK_MONOTONIC when the best route of every host of the first network was selected and handed out for the kernel.
 */
import { EvpnSpeaker } from "../../../agent-image/agent/evpn/evpn-speaker.js";
import { receiverAddress, speakerNetwork } from "./speaker-network.js";

const [networks = "1", hosts = "0"] = process.argv.slice(2);
const names = Array.from({ length: Number(networks) }, (_, index) => speakerNetwork(index));
const waiting = new Set(names.map(({ network }) => network));

const speaker = new EvpnSpeaker({ log: () => undefined, restarted: false });
speaker.on("forwarding", (network) => {
  const news = speaker.takeForwarding(network);
  if (news?.kind !== "whole") return;
  if (news.state.hosts.length !== Number(hosts)) {
    throw new Error(`${news.state.hosts.length} hosts of ${network} at ${receiverAddress}`);
  }
  waiting.delete(network);
  if (waiting.size === 0) process.stdout.write(`all ${process.hrtime.bigint()}\n`);
});
void speaker.setNetworks(names).then(() => {
  speaker.initialStateKnown();
  process.stdout.write(`process ${process.pid}\n`);
});
