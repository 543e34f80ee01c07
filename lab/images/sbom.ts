import type { Architecture } from "./architecture.js";
import type { Component } from "./component.js";

/** What an SBOM describes. */
export interface DescribedImage {
  readonly name: string;
  readonly version: string;
  readonly architecture: Architecture;
  /** `sha256:…` of the image's manifest. */
  readonly digest: string;
}

const ROOT = "SPDXRef-image";

/**
 * The parts of an image as an SPDX 2.3 document (spdx.github.io/spdx-spec/v2.3) in JSON. Equal parts give equal bytes, so it
 * carries no time of its own.
 */
export function spdxDocument(image: DescribedImage, components: readonly Component[]): string {
  const packages = components.map((component) => spdxPackage(component, image.architecture)).sort(byId);
  const document = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `${image.name}-${image.version}-${image.architecture}`,
    documentNamespace: `https://spdx.org/spdxdocs/${image.name}-${image.digest.replace(":", "-")}`,
    creationInfo: { created: "1970-01-01T00:00:00Z", creators: ["Tool: vlan-router-image"] },
    packages: [rootPackage(image), ...packages],
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: ROOT },
      ...packages.map(({ SPDXID }) => ({
        spdxElementId: ROOT,
        relationshipType: "CONTAINS",
        relatedSpdxElement: SPDXID,
      })),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function rootPackage({ name, version, architecture, digest }: DescribedImage) {
  const [, hex = ""] = digest.split(":");
  return {
    SPDXID: ROOT,
    name,
    versionInfo: version,
    primaryPackagePurpose: "CONTAINER",
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseDeclared: "Apache-2.0",
    checksums: [{ algorithm: "SHA256", checksumValue: hex }],
    externalRefs: [packageUrl(`pkg:oci/${name}@${encodeURIComponent(digest)}?arch=${architecture}`)],
  };
}

function spdxPackage(component: Component, architecture: Architecture) {
  const { kind, name, version, licence, checksum } = component;
  return {
    // Letters, digits, dots and hyphens only (clause 7.2).
    SPDXID: `SPDXRef-${kind}-${`${name}-${version}`.replaceAll(/[^A-Za-z0-9.-]+/g, "-")}`,
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseDeclared: licence ?? "NOASSERTION",
    ...(checksum === undefined ? {} : { checksums: [{ algorithm: checksum.algorithm, checksumValue: checksum.hex }] }),
    externalRefs: [packageUrl(purl(component, architecture))],
  };
}

function packageUrl(referenceLocator: string) {
  return { referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator };
}

/** github.com/package-url/purl-spec, types `deb`, `npm` and `golang`. */
function purl({ kind, name, version }: Component, architecture: Architecture): string {
  const encoded = name.split("/").map(encodeURIComponent).join("/");
  const at = `@${encodeURIComponent(version)}`;
  return kind === "deb"
    ? `pkg:deb/debian/${encoded}${at}?arch=${architecture}&distro=debian-12`
    : `pkg:${kind}/${encoded}${at}`;
}

function byId(a: { readonly SPDXID: string }, b: { readonly SPDXID: string }): number {
  return a.SPDXID < b.SPDXID ? -1 : 1;
}
