import { retryDelay } from "../../../model/index.js";
import { boundedList } from "./bounded-message.js";

/** What is known of the kernel's and iproute2's words, and what to do. */
const remedies: readonly { readonly words: RegExp; readonly remedy: string }[] = [
  {
    words: /IPv6 is disabled|net[./]ipv6[./]conf[./].*ENOENT/,
    remedy:
      "the interface has no IPv6: set net.ipv6.conf.default.disable_ipv6=0 and that of the interface, and give it an MTU of 1280 or " +
      "more (RFC 8200, section 5)",
  },
  {
    words: /net[./]ipv4[./]conf[./].*ENOENT/,
    remedy: "mount the node's /proc/sys/net and name it in SYSCTL_ROOT",
  },
  { words: /Operation not permitted|EPERM|EACCES/, remedy: "give the agent the capability NET_ADMIN" },
  {
    words: /: (?:Error: )?(?:RTNETLINK answers: )?(?:File exists|Address already in use)/,
    remedy: "another program has one like it: look for it with the show command of that object, and remove it",
  },
  {
    words: /No such device|Cannot find device|does not exist/,
    remedy: "it went while it was being changed; where this stays, another program removes it",
  },
];

/**
 * What could not be done, what to do about it, and when it is tried again.
 *
 * @param failures each a command or setting, and why it failed
 */
export function failureMessage(failures: readonly string[]): string {
  const known = remedies.filter(({ words }) => failures.some((failure) => words.test(failure)));
  return [
    ...boundedList(failures),
    ...known.map(({ remedy }) => remedy),
    `tried again when something changes, and every ${retryDelay} s`,
  ].join("; ");
}
