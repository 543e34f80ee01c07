import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type DynamicMethods, InitFailure, type Properties, programFolder } from "./dynamic-methods.js";

/** What the script `pulumi-resource-pulumi-nodejs` of the SDK runs, from the program's folder. */
const program = join(process.cwd(), "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js");
/** The engine's own address, which this provider never calls. */
const noEngine = "127.0.0.1:1";

type Reply<Message> = (error: ServiceError | null, message: Message) => void;

/** The provider as the engine starts it: a process of its own, spoken to over gRPC. */
export class ProviderProcess implements DynamicMethods {
  /** What it printed, beside its port. */
  printed = "";

  private constructor(
    private readonly child: ChildProcess,
    private readonly client: ResourceProviderClient,
  ) {}

  static async start(): Promise<ProviderProcess> {
    const { KUBECONFIG: _, ...env } = process.env;
    const child = spawn(process.execPath, [program, noEngine], {
      cwd: programFolder,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout });
    const [port] = (await once(lines, "line")) as [string];
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
    const provider = new ProviderProcess(child, client);
    lines.on("line", (line) => {
      provider.printed += `${line}\n`;
    });
    const request = new messages.ConfigureRequest().setArgs(structOf({})).setAcceptsecrets(true);
    await answer<messages.ConfigureResponse>((reply) => client.configure(request, reply));
    return provider;
  }

  async stop(): Promise<void> {
    this.client.close();
    const ended = once(this.child, "exit");
    this.child.kill();
    await ended;
  }

  async check(olds: Properties, news: Properties) {
    const request = new messages.CheckRequest().setOlds(structOf(olds)).setNews(structOf(news));
    const response = await answer<messages.CheckResponse>((reply) => this.client.check(request, reply));
    const failures = response.getFailuresList().map((failure) => ({
      property: failure.getProperty(),
      reason: failure.getReason(),
    }));
    return { inputs: propertiesOf(response.getInputs()), failures };
  }

  async diff(id: string, olds: Properties, news: Properties) {
    const request = new messages.DiffRequest().setId(id).setOlds(structOf(olds)).setNews(structOf(news));
    const response = await answer<messages.DiffResponse>((reply) => this.client.diff(request, reply));
    return response.getReplacesList();
  }

  async create(inputs: Properties) {
    const request = new messages.CreateRequest().setProperties(structOf(inputs));
    const response = await answer<messages.CreateResponse>((reply) => this.client.create(request, reply));
    return { id: response.getId(), outs: propertiesOf(response.getProperties()) };
  }

  async update(id: string, olds: Properties, news: Properties) {
    const request = new messages.UpdateRequest().setId(id).setOlds(structOf(olds)).setNews(structOf(news));
    const response = await answer<messages.UpdateResponse>((reply) => this.client.update(request, reply));
    return propertiesOf(response.getProperties());
  }

  async read(id: string, held: Properties) {
    const request = new messages.ReadRequest().setId(id).setProperties(structOf(held));
    const response = await answer<messages.ReadResponse>((reply) => this.client.read(request, reply));
    return {
      id: response.getId(),
      inputs: propertiesOf(response.getInputs()),
      outs: propertiesOf(response.getProperties()),
    };
  }

  async delete(id: string, held: Properties) {
    const request = new messages.DeleteRequest().setId(id).setProperties(structOf(held));
    await answer((reply) => this.client.delete(request, reply));
  }
}

function structOf(properties: Properties): Struct {
  return Struct.fromJavaScript(properties as Parameters<typeof Struct.fromJavaScript>[0]);
}

function propertiesOf(struct: Struct | undefined): Properties {
  return struct?.toJavaScript() ?? {};
}

async function answer<Message>(call: (reply: Reply<Message>) => unknown): Promise<Message> {
  return new Promise((resolve, reject) => {
    call((error, message) =>
      error === null ? resolve(message) : reject(initFailure(error) ?? new Error(error.details)),
    );
  });
}

/** gRPC carries what was made all the same in a trailer (google.rpc.Status). */
function initFailure({ metadata }: ServiceError): InitFailure | undefined {
  const [details] = metadata.get("grpc-status-details-bin");
  if (!(details instanceof Buffer)) return undefined;
  const [any] = Status.deserializeBinary(details).getDetailsList();
  if (any === undefined) return undefined;
  const failure = messages.ErrorResourceInitFailed.deserializeBinary(any.getValue_asU8());
  return new InitFailure(failure.getId(), propertiesOf(failure.getProperties()), failure.getReasonsList());
}
