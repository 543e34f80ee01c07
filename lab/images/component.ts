/** A part of an image that somebody else made, as the SBOM names it. */
export interface Component {
  readonly kind: "deb" | "npm" | "golang";
  readonly name: string;
  readonly version: string;
  /** As an SPDX expression, where its own metadata say so. */
  readonly licence?: string;
  /** Of what was fetched. */
  readonly checksum?: { readonly algorithm: "SHA256" | "SHA512"; readonly hex: string };
}
