import { networkOfAlias } from "./alias.js";
import { linkGroup } from "./link-group.js";

/** What an interface carries of our marks. */
export interface LinkMarks {
  readonly alias?: string;
  readonly group?: number;
}

/**
 * Whether we made an interface. The alias says so, and names its network. It cannot be part of the creation, and another program may
 * write its own over it; the group stands from the first moment.
 */
export function isMarkedOurs({ alias, group }: LinkMarks): boolean {
  return group === linkGroup || networkOfAlias(alias) !== undefined;
}
