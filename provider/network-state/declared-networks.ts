import type { NamedNetwork } from "../../model/index.js";
import { type Declaration, Declarations } from "../declarations.js";
import type { AddressPool } from "./address-pool.js";

/** A network of the program that has been checked. */
export interface DeclaredNetwork extends Declaration {
  readonly network: NamedNetwork;
  readonly pool?: AddressPool;
}

/** The networks of one program, as far as they have been checked. */
export class DeclaredNetworks extends Declarations<DeclaredNetwork> {
  private readonly held = new Set<string>();

  /**
   * Whether the state holds the network of this owner. One that is replaced is checked twice, and only the first check sees the
   * old inputs (pulumi/pulumi pkg/resource/deploy/step_generator.go).
   */
  holds(owner: string, seesOldInputs: boolean): boolean {
    if (seesOldInputs) this.held.add(owner);
    return this.held.has(owner);
  }
}
