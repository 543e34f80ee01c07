export { createProgress, type Progress, type ProgressOptions } from "./bootstrap/progress.mjs";
