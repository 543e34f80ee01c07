import { Command } from "commander";
import type { PlanOptions } from "./plan/run-plan.js";
import { version } from "./version.js";

/** The command line. Wrong usage is thrown as a CommanderError after its message is printed. */
export function program(): Command {
  const root = new Command("vlan-router")
    .description("Public networks for bare-metal Kubernetes: what a configuration means, on a desk")
    .version(version)
    .showHelpAfterError("(vlan-router --help shows what there is)")
    .exitOverride();

  root
    .command("plan")
    .description("check a configuration and print its numbers and the commands that make it up on a node")
    .argument("<config>", "configuration file (YAML), - for standard input")
    .option(
      "--node <facts>",
      "facts of one node (JSON or YAML): plan exactly for it, and say what cannot be planned there",
    )
    .option("--from <old>", "configuration that is carried now: print what changes, and which traffic that interrupts")
    .option("--json", "print one JSON document", false)
    .action(async (config: string, options: Omit<PlanOptions, "config">) => {
      const { runPlan } = await import("./plan/run-plan.js");
      process.exitCode = await runPlan({ ...options, config });
    });

  return root;
}
