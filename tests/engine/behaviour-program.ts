import { programFolder } from "./program-folder.js";

export const behaviourProject = "behaviour";

/**
 * Declares the network of the stack configuration, if there is one. A value `{ later }` is what only deployment knows, the
 * output of a resource that is replaced with each change.
 */
const program = `const pulumi = require("@pulumi/pulumi");
const { PublicNetwork } = require("pulumi-vlan-router");

const late = {
  async diff(_id, olds, news) { return olds.value === news.value ? { changes: false } : { changes: true, replaces: ["value"] }; },
  async create({ value }) { return { id: value, outs: { value, made: value } }; },
};
class Late extends pulumi.dynamic.Resource {
  constructor(name, value) { super(late, name, { value, made: undefined }); }
}
function resolved(value, path) {
  if (Array.isArray(value)) return value.map((item, index) => resolved(item, path + "-" + index));
  if (typeof value !== "object" || value === null) return value;
  if ("later" in value) return new Late(path, value.later).made;
  return Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, resolved(nested, path + "-" + key)]));
}

const config = new pulumi.Config();
const network = config.getObject("network");
if (network !== undefined) {
  new PublicNetwork("customers", { ...resolved(network, "late"), cluster: { kubeconfig: config.requireSecret("kubeconfig") } });
}
`;

export const behaviourFolder = (directory: string): Promise<string> =>
  programFolder(directory, behaviourProject, program);
