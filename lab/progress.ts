export { createProgress, type Progress, type ProgressOptions, runStart } from "./bootstrap/progress.mjs";
