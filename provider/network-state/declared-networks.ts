import type { NamedNetwork } from "../../model/index.js";
import { type Declaration, Declarations } from "../declarations.js";
import type { AddressPool } from "./address-pool.js";
import { SecretTexts } from "./concealed.js";

/** A network of the program that has been checked. */
export interface DeclaredNetwork extends Declaration {
  readonly network: NamedNetwork;
  readonly pool?: AddressPool;
}

/** The networks of one program, as far as they have been checked. */
export class DeclaredNetworks extends Declarations<DeclaredNetwork> {
  readonly secrets = new SecretTexts();
  /** By owner, the networks of the program that a network takes something over from in this update. */
  readonly givers = new Map<string, readonly string[]>();
  private readonly held = new Map<string, HeldNetwork>();

  /**
   * What the state holds of a network that is checked. One that is replaced is checked twice, and only the first check sees the
   * old inputs (pulumi/pulumi pkg/resource/deploy/step_generator.go).
   */
  heldOf(owner: string, { owner: heldBy, name }: Partial<HeldNetwork>): HeldNetwork | undefined {
    if (heldBy !== undefined && name !== undefined) this.held.set(owner, { owner: heldBy, name });
    return this.held.get(owner);
  }
}

/** As its resource had it before this update. */
export interface HeldNetwork {
  readonly owner: string;
  /** Of the PublicNetwork object. */
  readonly name: string;
}
