import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServiceDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { ApiVersion } from "./dialect.js";

interface Interface {
  readonly folder: string;
  readonly files: readonly string[];
  readonly service: string;
}

const interfaces: Readonly<Record<ApiVersion, Interface>> = {
  v3: {
    folder: "v3",
    // The others import what is packed into an `Any` from nowhere.
    files: ["gobgp.proto", "attribute.proto", "capability.proto"],
    service: "apipb.GobgpApi",
  },
  v4: { folder: "v4", files: ["api/gobgp.proto"], service: "api.GoBgpService" },
};

/** The service of one major as the published .proto files define it. */
export function serviceDefinition(version: ApiVersion): ServiceDefinition {
  const { folder, files, service } = interfaces[version];
  const definitions = loadSync([...files], {
    includeDirs: [join(protoFolder(), folder)],
    keepCase: true,
    longs: Number,
    enums: String,
    defaults: true,
  });
  return definitions[service] as ServiceDefinition;
}

/** In the image beside the compiled files; the compiler leaves them where they are. */
function protoFolder(): string {
  const beside = join(__dirname, "proto");
  return existsSync(beside) ? beside : join(__dirname, "../../../../agent-image/agent/gobgp/proto");
}
