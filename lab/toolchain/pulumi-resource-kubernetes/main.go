// Program pulumi-resource-kubernetes is Pulumi's Kubernetes provider plugin. The module's own main package embeds files that only
// its Makefile makes (schema-embed.json); the builder copies the sources of these from the module into this folder.
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
)

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var terraformMapping []byte

// version is set by the linker: it must be the version of the npm package that the plugin serves.
var version string

func main() {
	provider.Serve("kubernetes", version, schema, terraformMapping)
}
