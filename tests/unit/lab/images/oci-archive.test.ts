import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Image, writeOciArchive } from "../../../../lab/images/oci-archive.js";

/** sha256 of the layer as Python's tarfile (GNU_FORMAT, times and owners 0) packs the same files. */
const LAYER = "df025fdedb96900f660ebec1d5cd327b671aa30bc921ac857eee88836b34be0b";

let scratch: string;
let root: string;

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), "oci-archive-"));
  root = await folder("root");
  await mkdir(join(root, "bin"));
  await writeFile(join(root, "bin", "hello"), "#!/bin/sh\necho hello\n");
  for (const path of ["", "bin", "bin/hello"]) await chmod(join(root, path), 0o755);
});

after(() => rm(scratch, { recursive: true }));

async function folder(name: string): Promise<string> {
  const path = join(scratch, name);
  await mkdir(path);
  return path;
}

const write = (out: string, layers: readonly string[] = [root], Entrypoint = ["/bin/hello"]): Promise<Image> =>
  writeOciArchive("example.test/a/hello", layers, { Entrypoint }, out);

interface Layout {
  readonly folder: string;
  readonly index: {
    readonly manifests: readonly { readonly digest: string; readonly annotations: Record<string, string> }[];
  };
  blob(digest: string): Promise<string>;
}

async function unpack(image: Image): Promise<Layout> {
  const path = await mkdtemp(join(scratch, "layout-"));
  execFileSync("tar", ["-xf", image.archive, "-C", path]);
  return {
    folder: path,
    index: JSON.parse(await readFile(join(path, "index.json"), "utf8")) as Layout["index"],
    blob: (digest) => readFile(join(path, "blobs", "sha256", digest.slice("sha256:".length)), "utf8"),
  };
}

test("the layer has the bytes that another packer gives these files", async () => {
  const layout = await unpack(await write(await folder("literal")));
  assert.ok((await readdir(join(layout.folder, "blobs", "sha256"))).includes(LAYER));
});

test("every blob is named by its content, and each document points to the next", async () => {
  const layout = await unpack(await write(await folder("chain")));
  const blobs = join(layout.folder, "blobs", "sha256");
  for (const name of await readdir(blobs)) {
    assert.equal(execFileSync("sha256sum", [join(blobs, name)], { encoding: "utf8" }).slice(0, 64), name);
  }
  assert.equal(await readFile(join(layout.folder, "oci-layout"), "utf8"), '{"imageLayoutVersion":"1.0.0"}');

  const manifest = JSON.parse(await layout.blob(layout.index.manifests[0]?.digest ?? "")) as {
    readonly config: { readonly digest: string; readonly size: number };
    readonly layers: readonly { readonly mediaType: string; readonly digest: string; readonly size: number }[];
  };
  assert.deepEqual(manifest.layers, [
    { mediaType: "application/vnd.oci.image.layer.v1.tar", digest: `sha256:${LAYER}`, size: 10240 },
  ]);
  const text = await layout.blob(manifest.config.digest);
  assert.equal(manifest.config.size, text.length);
  const config = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual(config.config, { Entrypoint: ["/bin/hello"] });
  assert.deepEqual(config.rootfs, { type: "layers", diff_ids: [`sha256:${LAYER}`] });
});

test("the reference is the content's, and containerd finds it in the archive", async () => {
  const image = await write(await folder("name"));
  assert.match(image.reference, /^example\.test\/a\/hello:[0-9a-f]{12}$/);
  const layout = await unpack(image);
  assert.equal(layout.index.manifests[0]?.annotations["io.containerd.image.name"], image.reference);
});

test("times and place of the files do not count; configuration and content do", async () => {
  const copy = await folder("copy");
  execFileSync("cp", ["-R", `${root}/.`, copy]);
  for (const path of ["", "bin", "bin/hello"]) await chmod(join(copy, path), 0o755);
  await utimes(join(copy, "bin", "hello"), 1, 1);
  const first = await write(await folder("first"));
  const again = await write(await folder("again"), [copy]);
  assert.equal(again.reference, first.reference);
  assert.deepEqual(await readFile(again.archive), await readFile(first.archive));

  const otherCommand = await write(await folder("command"), [root], ["/bin/sh"]);
  await writeFile(join(copy, "bin", "hello"), "#!/bin/sh\necho hallo\n");
  const otherContent = await write(await folder("content"), [copy]);
  assert.equal(new Set([first, otherCommand, otherContent].map(({ reference }) => reference)).size, 3);
});

test("a second layer stands after the first", async () => {
  const top = await folder("top");
  await chmod(top, 0o755);
  await writeFile(join(top, "added"), "x");
  const layout = await unpack(await write(await folder("two"), [root, top]));
  const manifest = JSON.parse(await layout.blob(layout.index.manifests[0]?.digest ?? "")) as {
    readonly layers: readonly { readonly digest: string }[];
  };
  assert.equal(manifest.layers.length, 2);
  assert.equal(manifest.layers[0]?.digest, `sha256:${LAYER}`);
  const second = join(layout.folder, "blobs", "sha256", manifest.layers[1]?.digest.slice("sha256:".length) ?? "");
  assert.equal(execFileSync("tar", ["-tf", second], { encoding: "utf8" }), "./\n./added\n");
});

test("an archive that is there already is taken, and marked as used", async () => {
  const out = await folder("reuse");
  const { archive } = await write(out);
  await utimes(archive, 1, 1);
  const { ino } = await stat(archive);
  await write(out);
  const now = await stat(archive);
  assert.equal(now.ino, ino);
  assert.ok(Date.now() - now.mtimeMs < 60_000);
  assert.deepEqual(await readdir(out), [archive.slice(out.length + 1)]);
});
