/**
 * The package as its users get it: packed, and installed into projects outside the repository, one of CommonJS and one of
 * ECMAScript modules. Both run the example `drift-ci` on the same stack of the real engine. The steps build on each other.
 */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Result, waitFor } from "../../lab/processes/index.js";
import type { Stack } from "../../lab/pulumi/stack.js";
import { EngineCluster, engineImage, engineNodes } from "./engine-cluster.js";
import { FreshProject, pack, packageName, repositoryRoot, type Tarball } from "./package-project.js";
import { assertNoCredentials, filesBelow } from "./plain-credentials.js";
import { deployedTypes, stateOf, typesOf } from "./stack-state.js";

const stackName = "drift-ci";
/** Of the example's sessions. */
const holdTimeMs = 9_000;

let directory: string;
let tarball: Tarball;
let commonjs: FreshProject;
let modules: FreshProject;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "vlan-router-package-"));
  tarball = await pack(directory);
  const source = { example: "drift-ci", tarball: tarball.filename };
  commonjs = await FreshProject.create(join(directory, "commonjs"), { ...source, type: "commonjs" });
  modules = await FreshProject.create(join(directory, "modules"), { ...source, type: "module" });
  await commonjs.install();
  await modules.installFrom(commonjs);
});

after(() => rm(directory, { recursive: true, force: true }));

test("the tarball holds what runs, what describes it, and nothing else", async (t) => {
  const paths = tarball.files.map(({ path }) => path).toSorted();
  const outside = paths.filter((path) => !/^dist\/(model|provider|components|cli)\/[\w/-]+\.(js|d\.ts)$/.test(path));
  assert.deepEqual(outside, [
    "LICENSE",
    "NOTICE",
    "README.md",
    "package.json",
    "schemas/crds/publicnetworks.vlan-router.io.yaml",
    "schemas/crds/routernodes.vlan-router.io.yaml",
    "schemas/crds/vlanrouters.vlan-router.io.yaml",
    "schemas/vlan-router.schema.json",
  ]);
  const sources = await Promise.all(
    ["model", "provider", "components", "cli"].map(async (folder) =>
      (await readdir(join(repositoryRoot, folder), { recursive: true }))
        .filter((file) => file.endsWith(".ts"))
        .map((file) => `dist/${folder}/${file.slice(0, -".ts".length)}.js`),
    ),
  );
  assert.deepEqual(
    paths.filter((path) => path.endsWith(".js")),
    sources.flat().toSorted(),
  );
  t.diagnostic(`${tarball.files.length} files, ${tarball.size} bytes packed, ${tarball.unpackedSize} unpacked`);
});

test("what is installed along runs on every platform, and runs nothing at installation", async (t) => {
  const dependencies = await commonjs.dependencies();
  const bound = [...dependencies].filter(
    ([, { os, cpu, libc, hasInstallScript }]) => os ?? cpu ?? libc ?? hasInstallScript,
  );
  assert.deepEqual(bound, []);
  for (const path of dependencies.keys()) {
    const files = await readdir(join(commonjs.directory, path));
    assert.ok(!files.includes("binding.gyp"), `${path} is compiled where it is installed`);
  }
  assert.ok(dependencies.has("node_modules/@kubernetes/client-node"));
  t.diagnostic(`${dependencies.size} packages besides the peers`);
});

/** Uses a type and a value of every entry; the JSON files need the syntax of their module system. */
const exportsProgram = `
import { PublicNetwork, VlanRouter, type PublicNetworkArgs } from "${packageName}";
import { parseConfiguration, type Configuration } from "${packageName}/model";
import { networkState } from "${packageName}/provider/runtime";

const network: PublicNetworkArgs = {
  type: "vlan",
  vlan: { parent: "bond0", id: 220 },
  routing: { cidr: "198.51.100.0/24", gateway: "198.51.100.1" },
};
const parsed = parseConfiguration({ podNetworks: ["10.244.0.0/16"], networks: [network] });
const configuration: Configuration | undefined = parsed.ok ? parsed.value : undefined;
const version: string = manifest.version;
console.log(JSON.stringify([
  PublicNetwork.name, VlanRouter.name, configuration?.networks[0]?.name, typeof networkState.check, version, schema.type,
]));
`;
const jsonExports = ["package.json", "schemas/vlan-router.schema.json"] as const;

test("every export is typed and loads from CommonJS, on what calls itself macOS too", async () => {
  const [manifest, schema] = jsonExports.map((file) => `require("${packageName}/${file}")`);
  await commonjs.write("exports.ts", `import manifest = ${manifest};\nimport schema = ${schema};\n${exportsProgram}`);
  const [, program = ""] = /```ts\n(.*?)```/s.exec(await readFile(join(repositoryRoot, "README.md"), "utf8")) ?? [];
  assert.match(program, /new VlanRouter/);
  await commonjs.write("readme.ts", program);
  // The declaration files of every package are checked too, once.
  await commonjs.compile("node16", "index.ts", "exports.ts", "readme.ts");
  assert.deepEqual(JSON.parse((await commonjs.run("node", "bin/exports.js")).stdout), exported);
  // Prebuilt programs are chosen by the platform when they are loaded.
  await commonjs.write("elsewhere.cjs", 'Object.defineProperty(process, "platform", { value: "darwin" });\n');
  const { stdout } = await commonjs.run("node", "--require", "./elsewhere.cjs", "bin/exports.js");
  assert.deepEqual(JSON.parse(stdout), exported);
});

test("every export is typed and loads from ECMAScript modules", async () => {
  const [manifest, schema] = jsonExports.map((file) => `"${packageName}/${file}" with { type: "json" }`);
  await modules.write(
    "exports.ts",
    `import manifest from ${manifest};\nimport schema from ${schema};\n${exportsProgram}`,
  );
  await modules.compile("nodenext", "--skipLibCheck", "index.ts", "exports.ts");
  assert.deepEqual(JSON.parse((await modules.run("node", "bin/exports.js")).stdout), exported);
});
const exported = ["PublicNetwork", "VlanRouter", "vlan220", "function", "0.1.0", "object"];

test("the tests above name every export, and nothing else can be imported", async () => {
  const { exports } = await commonjs.json<{ exports: object }>(`node_modules/${packageName}/package.json`);
  assert.deepEqual(Object.keys(exports), [".", "./model", "./provider/runtime", "./schemas/*", "./package.json"]);
  const definition = `${packageName}/schemas/crds/publicnetworks.vlan-router.io.yaml`;
  const show = `process.stdout.write(require("node:fs").readFileSync(require.resolve("${definition}")))`;
  assert.match((await commonjs.run("node", "--eval", show)).stdout, /^kind: CustomResourceDefinition$/m);
  await assert.rejects(
    commonjs.run("node", "--eval", `require("${packageName}/dist/provider/shell.js")`),
    /ERR_PACKAGE_PATH_NOT_EXPORTED/,
  );
});

test("the installed command plans a file", async () => {
  const file = join(repositoryRoot, "examples/from-yaml/vlan-router.yaml");
  const { stdout } = await commonjs.run("node_modules/.bin/vlan-router", "plan", file);
  assert.match(stdout, /vxlan228/);
  assert.match(stdout, /vlan220/);
});

test("the installed package deploys on the real engine", async (t) => {
  const cluster = await EngineCluster.start();
  t.after(() => cluster.end());
  for (const node of engineNodes) await cluster.hear(node, true);
  const stack = await cluster.stack(commonjs.directory, stackName);
  const ecmaStack = await cluster.stack(modules.directory, stackName);
  const configure = (timeoutSeconds: number) =>
    stack.configure(
      { "drift-ci:image": engineImage, "drift-ci:timeoutSeconds": timeoutSeconds },
      { "vlan-router:kubeconfig": cluster.api.adminKubeconfig() },
    );
  await configure(5);
  await cluster.startPeer("rr1");
  /** All that the engine and its plugins printed, as verbose as a CI job that searches for a fault. */
  const printed: string[] = [];
  const engine = async (operation: Promise<Result>) => {
    const { code, stdout, stderr } = await operation;
    printed.push(stdout, stderr);
    return { code, stdout, said: `${stdout}\n${stderr}` };
  };
  const verbose = ["--skip-preview", "--logtostderr", "--logflow", "-v=3"];

  await t.test("preview shows what will be made", async () => {
    const { code, stdout, said } = await engine(stack.preview("--diff"));
    assert.equal(code, 0, said);
    assert.match(stdout, /routingTable\s*: 228/);
    assert.match(stdout, /\+ 19 to create/);
  });

  await t.test("up that ends half-way names nodes and sessions, and keeps the network in the state", async () => {
    const { code, said } = await engine(cluster.deploy(stack.up(...verbose)));
    assert.notEqual(code, 0, said);
    for (const node of engineNodes) assert.match(said, new RegExp(`${node}: session 10\\.0\\.7\\.20 is `));
    const network = (await stateOf(stack)).find(({ type }) => type.endsWith(":NetworkState"));
    assert.match(network?.initErrors?.join("\n") ?? "", /not every node carries it after 5 s/);
    assertNoCredentials(await stack.exported(), "the state of a network that is not well");
  });

  await t.test("up again makes it whole, with the program as an ECMAScript module", async () => {
    await cluster.startPeer("rr2");
    await configure(30);
    const { code, said } = await engine(ecmaStack.up(...verbose));
    assert.equal(code, 0, said);
    const { nodes, ready, routingTable } = await stack.outputs();
    const sessions = { "10.0.7.19": "Established", "10.0.7.20": "Established" };
    // No MetalLB, an underlay of MTU 1500, and FRR 8.4 as peer (docs/reference/conditions.md).
    const conditions = ["ClaimsNotFollowed", "MtuBelowSegment", "PeerKeepsNoRoutes"];
    const node = { conditions, interface: "up", sessions };
    assert.deepEqual(nodes, { n1: node, n2: node });
    assert.deepEqual([ready, routingTable], [true, 228]);
    assert.deepEqual(typesOf(await stateOf(stack)), deployedTypes({ networks: 1 }));
  });

  await t.test("the provider's text in the state is the golden one", async () => {
    const resources = await stateOf(stack);
    for (const [type, golden] of [
      ["NetworkState", "network-state-provider"],
      ["AgentRollout", "agent-rollout-provider"],
      ["NodeReports", "node-reports-provider"],
    ] as const) {
      const resource = resources.find((candidate) => candidate.type.endsWith(`:${type}`));
      const file = join(repositoryRoot, "tests/unit/provider/golden", `${golden}.txt`);
      assert.equal(resource?.inputs.__provider, await readFile(file, "utf8"));
    }
  });

  await t.test("the drift job finds no drift", async () => {
    const { code, stdout, said } = await engine(checkDrift(ecmaStack));
    assert.deepEqual([code, stdout], [0, "no drift\n"], said);
  });

  await cluster.stopPeer("rr2");
  const hold = sleep(holdTimeMs);

  await t.test("a second preview, as CommonJS again, shows no change: it does not look at nodes", async () => {
    const { code, said } = await engine(stack.preview("--expect-no-changes", "--diff"));
    assert.equal(code, 0, said);
  });

  await t.test("the drift job tells its own failure from drift", async () => {
    const { code, stdout, stderr } = await ecmaStack.script(["node", "check-drift.mts", "--no-such-flag"]);
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(stderr, /unknown flag: --no-such-flag/);
  });

  await t.test("the drift job names network, node and deviation", async () => {
    await hold;
    const { code, stdout } = await waitFor(
      "the drift job to name the sessions",
      async () => {
        const result = await engine(checkDrift(ecmaStack));
        return result.code !== 0 && result;
      },
      { timeout: 60_000, interval: 1_000 },
    );
    assert.equal(code, 2, stdout);
    // Which of the states it is that are not Established changes from second to second (RFC 4271 section 8.2.2).
    assert.equal(
      stdout.replaceAll(/\b(Idle|Connect|Active)$/gm, "DOWN"),
      ["network customers", "  n1: session 10.0.7.20 is DOWN", "  n2: session 10.0.7.20 is DOWN", ""].join("\n"),
    );
  });

  await t.test("no credential stands in plain in state, outputs, logs, messages or objects", async () => {
    assertNoCredentials(printed.join("\n"), "what was printed");
    assertNoCredentials(JSON.stringify(await stack.outputs()), "the outputs");
    assertNoCredentials(await stack.exported(), "the state");
    for (const [key, object] of await cluster.api.stored()) assertNoCredentials(object, key);
    for (const [file, content] of await filesBelow(cluster.stateDirectory(stackName))) {
      assertNoCredentials(content, file);
    }
  });

  await t.test("the search for credentials finds one where it is", async () => {
    const shown = cluster.api.adminKubeconfig();
    assert.throws(() => assertNoCredentials(shown, "a kubeconfig"), /a kubeconfig shows/);
    const encoded = Buffer.from(`x${shown}`).toString("base64");
    assert.throws(() => assertNoCredentials(encoded, "a kubeconfig in base64"), /in base64 shows/);
    // The state does hold it, encrypted.
    const decrypted = await stack.exported("--show-secrets");
    assert.throws(() => assertNoCredentials(decrypted, "the state with its secrets"), /with its secrets shows/);
    assert.match((await cluster.api.stored()).get(customersKey) ?? "", /203\.0\.113\.0\/24/);
    assert.ok((await filesBelow(cluster.stateDirectory(stackName))).length > 0);
  });

  await t.test("destroy leaves the definitions and nothing else", async () => {
    const { code, said } = await engine(ecmaStack.destroy(...verbose));
    assert.equal(code, 0, said);
    assertNoCredentials(said, "what destroy printed");
    assert.deepEqual(await stateOf(stack), []);
    const left = [...(await cluster.api.stored()).keys()].filter((key) => key.includes("vlan-router"));
    assert.deepEqual(left.toSorted(), [
      "/registry/apiextensions.k8s.io/customresourcedefinitions/publicnetworks.vlan-router.io",
      "/registry/apiextensions.k8s.io/customresourcedefinitions/routernodes.vlan-router.io",
      "/registry/apiextensions.k8s.io/customresourcedefinitions/vlanrouters.vlan-router.io",
      "/registry/apiregistration.k8s.io/apiservices/v1alpha1.vlan-router.io",
    ]);
  });
});

const customersKey = "/registry/vlan-router.io/publicnetworks/customers";

const checkDrift = (stack: Stack) => stack.script(["node", "check-drift.mts"]);
