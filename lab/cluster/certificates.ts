import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { adminLink } from "../fabric/underlay.js";
import { run } from "../processes/run.js";
import { kubernetes, nodeNames, underlay } from "../topology.js";

/** A certificate that the cluster's authority signs. */
export interface Certificate {
  /** File name without suffix. */
  readonly name: string;
  /** As openssl writes it; Kubernetes reads user (CN) and group (O) from it. */
  readonly subject: string;
  readonly usage: "serverAuth" | "clientAuth";
  /** As openssl writes them, `DNS:` and `IP:`. */
  readonly alternativeNames: readonly string[];
}

/** Contents of PEM files. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface ClusterKeys {
  readonly folder: string;
  /** The authority's certificate, PEM. */
  readonly authority: string;
  pair(name: string): KeyPair;
}

/** The authority's own name, and that of the key pair for service account tokens. */
const AUTHORITY = "ca";
const SERVICE_ACCOUNTS = "service-accounts";

/** Longer than any lab stands, also one that a machine was suspended with. */
const LIFETIME_DAYS = 3650;

const DAY_MS = 24 * 3600 * 1000;

const client = (name: string, subject: string): Certificate => ({
  name,
  subject,
  usage: "clientAuth",
  alternativeNames: [],
});

/** Who is who in the cluster: kubernetes.io, "PKI certificates and requirements". */
export const certificates: readonly Certificate[] = [
  {
    name: "kube-apiserver",
    subject: "/CN=kube-apiserver",
    usage: "serverAuth",
    alternativeNames: [
      "DNS:kubernetes",
      "DNS:kubernetes.default",
      "DNS:kubernetes.default.svc",
      "DNS:localhost",
      "IP:127.0.0.1",
      `IP:${kubernetes.apiService}`,
      `IP:${underlay.controlPlane}`,
      `IP:${adminLink.controlPlane}`,
    ],
  },
  client("kubelet-client", "/O=system:masters/CN=kube-apiserver-kubelet-client"),
  client("admin", "/O=system:masters/CN=admin"),
  client("kube-controller-manager", "/CN=system:kube-controller-manager"),
  client("kube-scheduler", "/CN=system:kube-scheduler"),
  client("kube-proxy", "/CN=system:kube-proxy"),
  ...nodeNames.map((node) => client(`node-${node}`, `/O=system:nodes/CN=system:node:${node}`)),
  ...nodeNames.map(
    (node): Certificate => ({
      name: `kubelet-${node}`,
      subject: `/CN=${node}`,
      usage: "serverAuth",
      alternativeNames: [`DNS:${node}`, `IP:${underlay.nodes[node]}`],
    }),
  ),
];

/** Makes what is missing in the folder; a complete folder is left as it is. */
export async function makeCertificates(folder: string): Promise<ClusterKeys> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const authority = new Authority(folder);
  if (!existsSync(join(folder, `${AUTHORITY}.crt`))) await authority.signItself();
  for (const certificate of certificates) {
    if (!existsSync(join(folder, `${certificate.name}.crt`))) await authority.sign(certificate);
  }
  if (!existsSync(join(folder, `${SERVICE_ACCOUNTS}.pub`))) await makeTokenKeys(folder);
  return readKeys(folder);
}

async function readKeys(folder: string): Promise<ClusterKeys> {
  const pairs = new Map<string, KeyPair>();
  for (const { name } of certificates) {
    const [certificate, key] = await Promise.all(
      ["crt", "key"].map((suffix) => readFile(join(folder, `${name}.${suffix}`), "utf8")),
    );
    if (certificate !== undefined && key !== undefined) pairs.set(name, { certificate, key });
  }
  return {
    folder,
    authority: await readFile(join(folder, `${AUTHORITY}.crt`), "utf8"),
    pair(name) {
      const pair = pairs.get(name);
      if (pair === undefined)
        throw new Error(`there is no certificate "${name}": it is one of ${[...pairs.keys()].join(", ")}`);
      return pair;
    },
  };
}

/** Signs with `openssl ca`, because `openssl x509` of Debian 12 cannot set the begin of the validity. */
class Authority {
  readonly #file: (suffix: string) => string;
  readonly #configuration: string;
  readonly #validity: readonly string[];

  constructor(folder: string) {
    this.#file = (suffix) => join(folder, suffix);
    this.#configuration = this.#file("openssl.cnf");
    const now = Date.now();
    // From yesterday, so that a clock that steps back does not make the certificates invalid.
    const [begin, end] = [now - DAY_MS, now + LIFETIME_DAYS * DAY_MS].map(openSslDate);
    this.#validity = ["-startdate", String(begin), "-enddate", String(end)];
  }

  async signItself(): Promise<void> {
    await writeFile(this.#file("index.txt"), "");
    await writeFile(this.#configuration, caConfiguration(this.#file("index.txt"), this.#file(".")));
    const extensions = [
      "basicConstraints=critical,CA:TRUE",
      "keyUsage=critical,keyCertSign,cRLSign,digitalSignature",
      "subjectKeyIdentifier=hash",
    ];
    const authority = { name: AUTHORITY, subject: "/CN=vlan-router lab" };
    await this.#issue(authority, extensions, ["-selfsign", "-keyfile", this.#file(`${AUTHORITY}.key`)]);
  }

  async sign(certificate: Certificate): Promise<void> {
    const { usage, alternativeNames } = certificate;
    const extensions = [
      "keyUsage=critical,digitalSignature",
      `extendedKeyUsage=${usage}`,
      ...(alternativeNames.length === 0 ? [] : [`subjectAltName=${alternativeNames.join(",")}`]),
    ];
    await this.#issue(certificate, extensions, [
      ...["-cert", this.#file(`${AUTHORITY}.crt`), "-keyfile", this.#file(`${AUTHORITY}.key`)],
    ]);
  }

  async #issue(
    { name, subject }: Pick<Certificate, "name" | "subject">,
    extensions: readonly string[],
    signer: readonly string[],
  ): Promise<void> {
    const [key, request, extensionFile] = [".key", ".csr", ".ext"].map((suffix) => this.#file(name + suffix)) as [
      string,
      string,
      string,
    ];
    await makeKey(key);
    await run(["openssl", "req", "-new", "-key", key, "-subj", subject, "-out", request]);
    await writeFile(extensionFile, `${extensions.join("\n")}\n`);
    const unfinished = this.#file(`${name}.unfinished`);
    await run([
      ...["openssl", "ca", "-batch", "-notext", "-config", this.#configuration, ...signer, ...this.#validity],
      ...["-extfile", extensionFile, "-in", request, "-out", unfinished],
    ]);
    // The certificate appears last and whole: where it is, key and certificate are complete.
    await run(["mv", unfinished, this.#file(`${name}.crt`)]);
    await Promise.all([request, extensionFile].map((file) => rm(file)));
  }
}

/** The key pair that signs service account tokens; it needs no certificate. */
async function makeTokenKeys(folder: string): Promise<void> {
  const key = join(folder, `${SERVICE_ACCOUNTS}.key`);
  await makeKey(key);
  await run(["openssl", "ec", "-in", key, "-pubout", "-out", join(folder, `${SERVICE_ACCOUNTS}.pub`)]);
}

async function makeKey(file: string): Promise<void> {
  await run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file]);
}

/** ca(1): `database` is demanded even if nobody asks it; `new_certs_dir` gets a copy of each certificate. */
function caConfiguration(database: string, folder: string): string {
  return [
    "[ca]",
    "default_ca = lab",
    "[lab]",
    `database = ${database}`,
    `new_certs_dir = ${folder}`,
    "rand_serial = yes",
    "unique_subject = no",
    "default_md = sha256",
    "policy = any",
    "[any]",
    "organizationName = optional",
    "commonName = supplied",
    "",
  ].join("\n");
}

/** GeneralizedTime as `openssl ca -startdate` takes it. */
function openSslDate(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`;
}
