export { ADMIN, ENTRY_WAITING_PARENTS, enterLab, enterProcess } from "./entry.js";
export { Isolation } from "./isolation.js";
