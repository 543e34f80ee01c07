import { stringify } from "yaml";
import { configurationJsonSchema, customResourceDefinitions } from "../../model/index.js";

export interface GeneratedFile {
  /** In the folder `schemas/`, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Everything in `schemas/` beside this program, which makes it from the model. */
export function generatedFiles(): readonly GeneratedFile[] {
  const configuration = { $comment: "Made from model/ by `npm run generate`.", ...configurationJsonSchema() };
  return [
    { path: "vlan-router.schema.json", text: `${JSON.stringify(configuration, undefined, 2)}\n` },
    ...customResourceDefinitions().map((definition) => ({
      path: `crds/${definition.metadata.name}.yaml`,
      // Unfolded, so that a rule is found as it stands.
      text: `# Made from model/ by \`npm run generate\`.\n${stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false })}`,
    })),
  ];
}
