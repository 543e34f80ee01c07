export { agentImage, agentVersion } from "./agent.js";
export { type AgentArchive, agentName, writeAgentArchive, writeAgentRoot } from "./agent-archive.js";
export { type Architecture, architectures } from "./architecture.js";
export type { Freshness } from "./debian/debian-archive.js";
export { echoImage } from "./echo.js";
export { imageFolder } from "./image-store.js";
export { type MetallbImages, metallbImages } from "./metallb.js";
export type { Image } from "./oci-archive.js";
export { pauseImage } from "./pause.js";
