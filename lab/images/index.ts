export { agentImage } from "./agent.js";
export { echoImage } from "./echo.js";
export { imageFolder } from "./image-store.js";
export { type MetallbImages, metallbImages } from "./metallb.js";
export type { Image } from "./oci-archive.js";
export { pauseImage } from "./pause.js";
