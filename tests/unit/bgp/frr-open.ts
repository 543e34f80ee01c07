import { hex } from "./bytes.js";

/**
 * Body of the OPEN that FRR 8.4.4 sends, as it was captured: AS 65001, hold time 9.
 *
 * @param identifier BGP identifier, in hexadecimal
 */
export const frrOpenFrom = (identifier: string) =>
  hex(`
  04 fde9 0009 ${identifier} 41
  0206 0104 00190046
  0202 8000
  0202 0200
  0202 4600
  0206 4104 0000fde9
  0202 0600
  0206 4504 00194601
  0206 4904 02723100
  0204 4002 c078
  0209 4707 00194680000000`);
