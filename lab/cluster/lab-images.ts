import { echoImage, type Image, type MetallbImages, metallbImages, pauseImage } from "../images/index.js";
import { locateToolchain } from "../toolchain/index.js";

/** The images of every lab. The agent's is not among them: it changes with each build. */
export interface LabImages {
  readonly pause: Image;
  readonly metallb: MetallbImages;
  readonly echo: Image;
}

let built: Promise<LabImages> | undefined;

/** Builds them, once in a process: the programs that they hold do not change under a running one. */
export function labImages(): Promise<LabImages> {
  built ??= build();
  return built;
}

async function build(): Promise<LabImages> {
  const toolchain = locateToolchain();
  const [pause, metallb, echo] = await Promise.all([pauseImage(toolchain), metallbImages(toolchain), echoImage()]);
  return { pause, metallb, echo };
}

export function allOf({ pause, metallb, echo }: LabImages): readonly Image[] {
  return [pause, metallb.controller, metallb.speaker, echo];
}
