// `MockAcpAgent`: the mock of an ACP agent, in process and as a program.
//
// How to extend it, most common first:
// - a step: script.ts and turn.ts
// - a switch: options.ts, profiles.ts, and the file with the behaviour (calls.ts, turn.ts, session.ts, link.ts, methods.ts)
// - a client mistake: record.ts, and methods.ts, link.ts or rules.ts
// - an agent: options.ts, profiles.ts, agents.ts
// - what a process does: link.ts, relay.ts and program/

import { AcpHost } from "./host.ts";
import type { AcpLink } from "./link.ts";
import { linkAcp } from "./methods.ts";
import type { MockAcpOptions, MockAcpSwitches } from "./options.ts";
import type {
  MockAcpLine,
  MockAcpLink,
  MockAcpRequest,
  MockAcpViolation,
  ReceivedAcpCancel,
  ReceivedAcpMessage,
  ReceivedAcpPrompt,
} from "./record.ts";
import { AcpProcesses, type MockAcpProgram } from "./relay.ts";
import type { MockAcpAnswer } from "./script.ts";
import { type MockAcpStreams, StreamPort } from "./streams.ts";

/**
 * A mock of an agent of the Agent Client Protocol. It behaves as the document says, or as one of seven real agents. It
 * answers prompts by script, records all messages, and reports client mistakes. {@link connect} gives a pair of byte
 * streams, {@link program} a program to start. Both may be used many times: sessions are the agent's, not the link's.
 *
 * @example
 * ```ts
 * await using agent = new MockAcpAgent({
 *   profile: "gemini",
 *   answer: () => ["I will look. ", acpStep.calls(acpTool.shell("ls", "a.txt\n")), "One file."],
 * });
 * const { readable, writable } = agent.connect();
 * ```
 */
export class MockAcpAgent implements AsyncDisposable {
  readonly #host: AcpHost;
  #processes: Promise<AcpProcesses> | undefined;

  /** @throws InvalidInputError (also a TypeError) for an unknown option, profile or value */
  constructor(options: MockAcpOptions = {}) {
    this.#host = new AcpHost(options);
  }

  /** Opens a link in process. Its streams are the client's ends. */
  connect(): MockAcpStreams & { readonly link: MockAcpLink } {
    let link: AcpLink | undefined;
    const port = new StreamPort(() => link);
    link = linkAcp(this.#host, port, undefined);
    return { ...port.streams, link };
  }

  /**
   * Returns how to start the agent as a program, without a shell. Each process is a link of its own. Its behaviour stays
   * in the test. It is killed by `stop()`, and when the test process ends. Without a test, the program plays the options
   * in `MOCK_ACP_SCENARIO`: JSON, or the path of a JSON file, whose `answer` is an array of steps.
   */
  async program(): Promise<MockAcpProgram> {
    this.#processes ??= AcpProcesses.open(this.#host);
    return (await this.#processes).program;
  }

  /** All links in order, including ended ones. */
  get links(): readonly MockAcpLink[] {
    return this.#host.journal.links;
  }

  /** Every line in both directions. */
  get lines(): readonly MockAcpLine[] {
    return this.#host.journal.lines;
  }

  /** Every message of a client, with the agent's response. */
  get received(): readonly ReceivedAcpMessage[] {
    return this.#host.journal.received;
  }

  /** Every `session/prompt`. */
  get prompts(): readonly ReceivedAcpPrompt[] {
    return this.#host.journal.prompts;
  }

  /** Every `session/cancel`. */
  get cancels(): readonly ReceivedAcpCancel[] {
    return this.#host.journal.cancels;
  }

  /** Every request to a client, with the client's answer. */
  get requests(): readonly MockAcpRequest[] {
    return this.#host.journal.requests;
  }

  /** Every mistake of a client. */
  get violations(): readonly MockAcpViolation[] {
    return this.#host.journal.violations;
  }

  /** The script for new prompts. Running turns keep their script. */
  get answer(): MockAcpAnswer {
    return this.#host.answer;
  }

  set answer(answer: MockAcpAnswer) {
    this.#host.answer = answer;
  }

  /** Sets switches at any time. The profile stays. */
  set(switches: MockAcpSwitches): void {
    this.#host.set(switches);
  }

  /**
   * Resolves with the first value of `probe` that is not undefined, null or false. Calls `probe` now and after every
   * event, without polling. Rejects if `probe` throws, or if the mock stops.
   */
  waitFor<T>(probe: (agent: this) => T | undefined | false | null): Promise<T> {
    return this.#host.journal.until(() => probe(this));
  }

  /** Resolves with the next link. The n-th call gets the n-th link, past or future. */
  nextLink(): Promise<MockAcpLink> {
    return this.#host.journal.next(this.links);
  }

  /** Resolves with the next prompt. The n-th call gets the n-th prompt, past or future. */
  nextPrompt(): Promise<ReceivedAcpPrompt> {
    return this.#host.journal.next(this.prompts);
  }

  /** Resolves with the next request to a client. The n-th call gets the n-th request, past or future. */
  nextRequest(): Promise<MockAcpRequest> {
    return this.#host.journal.next(this.requests);
  }

  /** Resolves with the next `session/cancel`. The n-th call gets the n-th cancel, past or future. */
  nextCancel(): Promise<ReceivedAcpCancel> {
    return this.#host.journal.next(this.cancels);
  }

  /** Resolves when the process of a link, or one of its `children`, has ended. The process may still be a zombie. */
  async gone(pid: number): Promise<void> {
    const processes = await this.#processes;
    await this.waitFor(() => processes?.isGone(pid));
  }

  /**
   * Stops running turns, timers, links, processes and waits. Idempotent.
   * @throws InvalidInputError if a script used an unknown step or field
   */
  async stop(): Promise<void> {
    const { journal } = this.#host;
    const processes = await this.#processes;
    this.#processes = undefined;
    for (const link of this.links) if (!link.process) link.die({ exit: 0 });
    await processes?.stop();
    journal.end(new Error("The mock agent has stopped, so this cannot happen any more"));
    if (journal.mistake) throw journal.mistake;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
