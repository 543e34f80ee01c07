import type { Tool } from "./tool.js";

/** Below this a second build may push the first one's linker into swap: one link of pulumi or kubelet takes 2 to 3 GB. */
const MEMORY_FOR_TWO_LANES = 8 * 1024 ** 3;

/**
 * Tools whose builds may run side by side: one lane for each module. Two builds of one module at a time would compile the
 * packages that they share twice, one after the other finds them in Go's cache.
 */
export function buildLanes(tools: readonly Tool[]): readonly (readonly Tool[])[] {
  const lanes = new Map<string, Tool[]>();
  for (const tool of tools) {
    const module = tool.source.module?.path ?? tool.name;
    lanes.set(module, [...(lanes.get(module) ?? []), tool]);
  }
  return [...lanes.values()];
}

/** @param availableMemory bytes */
export function lanesAtOnce(availableMemory: number): number {
  return availableMemory >= MEMORY_FOR_TWO_LANES ? 2 : 1;
}

/** Runs the lanes in their order, `atOnce` at a time. The first failure lets running builds end and starts no new one. */
export async function runLanes(
  lanes: readonly (readonly Tool[])[],
  atOnce: number,
  build: (tool: Tool) => Promise<void>,
): Promise<void> {
  const waiting = [...lanes];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift()) {
      for (const tool of lane) {
        if (failures.length > 0) return;
        try {
          await build(tool);
        } catch (error) {
          failures.push(error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
