/** A value that only the node knows, as a shell variable: `$NODE`, `$VTEP`, `$MAC`, `$MARK`, `$MTU`. */
export type Variable = `$${string}`;

/** The node's own address in the underlay. */
export const vtepVariable = "$VTEP" satisfies Variable;

/** The node's name. */
export const nodeVariable = "$NODE" satisfies Variable;

/** The node's BGP identifier where the address is no four bytes long. */
export const routerIdVariable = "$ROUTER_ID" satisfies Variable;

/**
 * A plan in which a variable may stand for a number that only the node knows; every finished plan is one too. A mask
 * follows from the configuration, and where the underlay carries too little only the node knows.
 */
export type Symbolic<Value> = Value extends number
  ? number extends Value
    ? Value | Variable
    : Value
  : Value extends object
    ? { readonly [Key in keyof Value]: Key extends "mask" | "clampMtu" ? Value[Key] : Symbolic<Value[Key]> }
    : Value;
