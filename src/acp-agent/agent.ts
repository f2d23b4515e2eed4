// `acpAgent`: any source as an agent that speaks ACP.
import { describe, fieldsOf } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { AcpAgentConnection, AcpAgentStream, SessionOwners } from "./connection.ts";
import { type AcpAgentOptions, type AcpAgentSourceOf, readAgentOptions } from "./options.ts";
import { loadAgentSdk } from "./peer.ts";

/** An agent for editors and other clients of ACP. It may have several connections at once, which share the store. */
export interface AcpAgentServer {
  /**
   * Serves the client on the other side of `stream`. Resolves once messages are read.
   * @throws InvalidInputError for a value that is not a pair of streams; UnsupportedError if the package
   * `@agentclientprotocol/sdk` is missing or too old
   */
  connect(stream: AcpAgentStream): Promise<AcpAgentConnection>;
  /**
   * Serves the program that has started this one, over stdin and stdout. Meanwhile the output of `console.log` goes to
   * stderr. Resolves once stdin has ended, or SIGTERM or SIGINT has come, and the chats are closed, which takes
   * `closeTimeout` ms at most. If the process is still alive `closeTimeout` ms later, it exits with the code 0, or
   * `process.exitCode`.
   * @throws UnsupportedError as `connect`, and where there is no stdin
   */
  stdio(): Promise<void>;
}

/**
 * Makes an agent of any source: `acpAgent(() => codey({ url, onToolApproval: "manual" }))`. Each session is a chat over a
 * source of its own. Nothing is connected before a session has its first prompt.
 *
 * @throws InvalidInputError for a wrong or unknown option
 */
export function acpAgent(sourceOf: AcpAgentSourceOf, options: AcpAgentOptions = {}): AcpAgentServer {
  const settings = readAgentOptions(sourceOf, options);
  const owners: SessionOwners = new Map();
  /** What serves a client is loaded with the SDK, at the first connection. */
  const load = async () => {
    const [sdk, { EditorConnection }] = await Promise.all([loadAgentSdk(), import("./connection.ts")]);
    return { sdk, serve: (stream: AcpAgentStream) => new EditorConnection(sdk, settings, owners, stream) };
  };
  return {
    async connect(stream) {
      checkStream(stream);
      return (await load()).serve(stream);
    },
    async stdio() {
      const { serveStdio } = await import("./stdio.ts");
      await serveStdio(settings, load);
    },
  };
}

function checkStream(stream: AcpAgentStream): void {
  const { readable, writable } = fieldsOf(stream);
  const has = (of: unknown, name: string): boolean => typeof fieldsOf(of)[name] === "function";
  if (has(readable, "getReader") && has(writable, "getWriter")) return;
  throw new InvalidInputError(
    `the stream is ${describe(stream)} without \`readable\` and \`writable\`.`,
    "Pass a stream of `@agentclientprotocol/sdk`, such as `ndJsonStream(output, input)`.",
  );
}
