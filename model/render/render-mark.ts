import type { Mark } from "../node-plan/node-plan.js";
import type { Symbolic } from "./symbolic.js";

/** As `ip rule` and `nft` print it: lower-case hexadecimal. */
export function hexadecimal(value: number): string {
  return `0x${(value >>> 0).toString(16)}`;
}

export function renderMarkValue(value: Symbolic<Mark>["value"]): string {
  return typeof value === "number" ? hexadecimal(value) : value;
}

/** `VALUE/MASK`, the form of `fwmark`. */
export function renderMark(mark: Symbolic<Mark>): string {
  return `${renderMarkValue(mark.value)}/${renderMarkValue(mark.mask)}`;
}
