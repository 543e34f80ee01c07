/**
 * Which of the wanted Debian packages are not installed.
 *
 * @param {readonly string[]} wanted
 * @param {string} status what `dpkg-query --show --showformat='${db:Status-Status} ${Package}\n'` prints
 * @returns {readonly string[]} in the order of `wanted`
 */
export function missingPackages(wanted, status) {
  const installed = new Set();
  for (const line of status.split("\n")) {
    const [state, name] = line.trim().split(/\s+/);
    if (state === "installed" && name !== undefined) installed.add(name);
  }
  return wanted.filter((name) => !installed.has(name));
}
