// `acpAgent`: any source as an agent that speaks ACP.
import { describe, fieldsOf } from "../core/checks.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { AcpAgentConnection, AcpAgentStream, SessionOwners } from "./connection.ts";
import { type AcpAgentOptions, type AcpAgentSourceOf, readAgentOptions } from "./options.ts";
import { loadAgentSdk } from "./peer.ts";

/** An agent for editors and other clients of ACP. It may have several connections at once, which share the store. */
export interface AcpAgentServer {
  /**
   * Serves the client on the other side of `stream`, such as `ndJsonStream` of the SDK over a socket; several at once.
   * Resolves once messages are read. Ends the stream of messages, not the bytes under it: end those when `closed` resolves.
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
 * What the client gets:
 *
 * - text and reasoning: `agent_message_chunk`, `agent_thought_chunk`, with a `messageId` per message; images and sounds by
 *   their bytes, other files as `resource_link`, a diff as `resource`
 * - a tool call: `tool_call`, of kind `other` without a kind, with the tool's whole name in the title where an MCP server
 *   is known; its output: `tool_call_update`, first with all of the output so far, then with `rawOutput`
 * - an approval: `session/request_permission` with `once`, `always` (for a call with a `grant`) and `reject`; the title
 *   begins with the sub-agent that asks. A preview: `diff`, or the unified diff as text
 * - a question: a form (`elicitation/create`); without forms one question with one choice is a permission request, others
 *   are declined
 * - a sub-agent: a call of kind `other`, its own calls follow as calls
 * - `plan`, `available_commands_update`, `session_info_update` (the title), `usage_update` (once the size of the context
 *   is known), `current_mode_update` (all modes if the source can set them, otherwise the current one)
 * - a notice, progress, an error that ends no turn, the model: `notice`, for clients with `session.notices`
 * - a compaction: `compaction_update`, for clients with `session.compaction`; else a notice
 * - the end: `end_turn`, `max_tokens`, `max_turn_requests`, `refusal` or `cancelled`, with `usage`; a failed turn is the
 *   error -32603, or -32000 if the user has to sign in
 *
 * Refused: with -32002 an unknown session; with -32602 a prompt, `load` or `resume` while a prompt runs, a session that
 * another connection has open, a blank prompt, an image that the source does not take, sound, an embedded file that is no
 * text, a relative `cwd`, an MCP server over HTTP or SSE, an unknown mode; with -32603 more than `maxSessions`, and a source or
 * a store that fails; with -32601 `session/set_mode` without modes, `session/delete`, `set_model`, `set_config_option` and
 * `authenticate`.
 *
 * Links and embedded texts of a prompt become text. `session/load` tells the stored messages before it answers.
 * `session/cancel` and `$/cancel_request` cancel the turn, and withdraw what is open.
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
