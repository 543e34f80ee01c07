import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { type ApiCall, apiCalls, notServed, type ObservedSpeaker } from "./api-calls.js";
import type { ApiMessage, ApiVersion } from "./dialect.js";
import { serviceDefinition } from "./proto-files.js";

export interface ApiServer {
  close(): void;
}

/** Only programs of the node may ask. */
const host = "127.0.0.1";

/**
 * Serves both majors of GoBGP's API for one network.
 *
 * @throws when the port cannot be had
 */
export async function startApiServer(port: number, network: string, speaker: ObservedSpeaker): Promise<ApiServer> {
  const server = new Server();
  for (const version of ["v3", "v4"] as const) {
    const definition = definitionOf(version);
    const calls = apiCalls(network, speaker, version);
    const handlers: UntypedServiceImplementation = {};
    for (const [name, { responseStream }] of Object.entries(definition)) {
      const call = calls[name];
      handlers[name] = responseStream ? streaming(name, call) : unary(name, call);
    }
    server.addService(definition, handlers);
  }
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    ),
  );
  return { close: () => server.forceShutdown() };
}

const definitions = new Map<ApiVersion, ReturnType<typeof serviceDefinition>>();

/** Read once for all networks. */
function definitionOf(version: ApiVersion): ReturnType<typeof serviceDefinition> {
  const known = definitions.get(version) ?? serviceDefinition(version);
  definitions.set(version, known);
  return known;
}

function unary(name: string, call: ApiCall | undefined): handleUnaryCall<ApiMessage, ApiMessage> {
  return ({ request }, answer) => {
    const { answers, failure } = answersTo(name, call, request);
    answer(failure ?? null, answers[0]);
  };
}

function streaming(name: string, call: ApiCall | undefined): handleServerStreamingCall<ApiMessage, ApiMessage> {
  return (stream) => {
    const { answers, failure } = answersTo(name, call, stream.request);
    if (failure !== undefined) {
      stream.emit("error", failure);
      return;
    }
    for (const answer of answers) stream.write(answer);
    stream.end();
  };
}

interface Outcome {
  readonly answers: readonly ApiMessage[];
  readonly failure?: { readonly code: status; readonly details: string };
}

/** A mistake in here must fail the call and not the process. */
function answersTo(name: string, call: ApiCall | undefined, request: ApiMessage): Outcome {
  if (call === undefined) return { answers: [], failure: { code: status.UNIMPLEMENTED, details: notServed(name) } };
  try {
    return { answers: call(request) };
  } catch (error) {
    return { answers: [], failure: { code: status.INTERNAL, details: (error as Error).message } };
  }
}
