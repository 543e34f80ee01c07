export { cacheDirectory } from "./bootstrap/cache-directory.mjs";
