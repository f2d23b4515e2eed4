import type { AnyTurn } from "../../src/core/client/any-client.ts";
import { type AnyAgentwireError, asAny } from "../../src/core/errors.ts";
import type { PromptInput } from "../../src/core/turn/prompt-input.ts";
import type { TurnOptions, TurnOutcome, TurnResult } from "../../src/core/turn/turn.ts";
import type { TurnStatus } from "../../src/core/values.ts";
import type { ContentPart, TurnEndMetadata } from "../../src/universal/events.ts";
import type { FakeStream } from "./fake-stream.ts";

/** The conversation of a turn. */
export interface TurnHome {
  readonly stream: FakeStream | undefined;
  readonly turns: readonly unknown[];
  readonly stopsAtOnce: boolean;
  answered(prompt: string): void;
}

/** A turn that does what the test says. */
export class FakeTurn implements Pick<AnyTurn, "id" | "status" | "outcome" | "cancel"> {
  readonly home: TurnHome;
  readonly input: string | PromptInput;
  readonly options: TurnOptions;
  readonly id: string;
  readonly outcome: Promise<TurnOutcome<TurnResult>>;
  status: TurnStatus = "queued";
  cancels = 0;
  #settle: (outcome: TurnOutcome<TurnResult>) => void = () => {};
  #text: { readonly id: string; text: string } | undefined;

  constructor(home: TurnHome, input: string | PromptInput, options: TurnOptions) {
    this.home = home;
    this.input = input;
    this.options = options;
    this.id = `turn-${home.turns.length + 1}`;
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get text(): string {
    return typeof this.input === "string" ? this.input : this.input.text;
  }

  get stream(): FakeStream {
    const { stream } = this.home;
    if (!stream) throw new Error("nobody listens to the conversation");
    return stream;
  }

  get isOpen(): boolean {
    return this.status === "queued" || this.status === "sent" || this.status === "streaming";
  }

  /** The prompt leaves: the turn and the user's message begin. */
  send(): void {
    this.status = "sent";
    this.#begin();
  }

  /** A turn that was never sent tells its beginning too, once it has ended. */
  #begin(): void {
    const { shown = this.input, key, branchOf } = this.options;
    const { text, images = [] } = typeof shown === "string" ? { text: shown } : shown;
    const pictures = images.map(({ data, mediaType }) => ({
      type: "image" as const,
      path: String(data),
      mime: mediaType ?? null,
    }));
    const metadata = {
      ...(key === undefined ? {} : { prompt_id: key }),
      ...(branchOf === undefined ? {} : { branch_of: branchOf }),
    };
    this.stream.turn([{ type: "text", text }, ...pictures], metadata);
  }

  says(delta: string): void {
    this.status = "streaming";
    this.#text ??= { id: this.stream.start("assistant", []), text: "" };
    this.#text.text += delta;
    this.stream.delta(this.#text.id, delta);
  }

  completes(metadata: Omit<TurnEndMetadata, "status"> = {}): void {
    this.home.answered(this.text);
    this.#end({ status: "completed", ...metadata });
    this.status = "completed";
    this.#settle({ status: "completed", result: { text: this.#text?.text ?? "" } });
  }

  fails(error: AnyAgentwireError): void {
    const wasSent = this.status !== "queued";
    this.status = "failed";
    if (!wasSent) {
      error.delivery = "not-sent";
      this.#begin();
    }
    this.stream.error(error.message, error.code);
    this.#end({ status: "failed" });
    this.#settle({ status: "failed", error: asAny(error), partial: { text: "" } });
  }

  cancel(): Promise<TurnOutcome<TurnResult>> {
    this.cancels++;
    if (!this.isOpen) return this.outcome;
    const wasSent = this.status !== "queued";
    this.status = "cancelling";
    if (!wasSent) this.#begin();
    this.#end({ status: "cancelled" });
    if (this.home.stopsAtOnce) this.stopped();
    return this.outcome;
  }

  stopped(): void {
    this.status = "cancelled";
    this.#settle({ status: "cancelled", by: "user", partial: { text: "" } });
  }

  #end(metadata: TurnEndMetadata): void {
    const content: readonly ContentPart[] = this.#text ? [{ type: "text", text: this.#text.text }] : [];
    const status = metadata.status === "completed" ? "completed" : "failed";
    if (this.#text) this.stream.complete(this.#text.id, "assistant", content, status);
    this.stream.endTurn(metadata);
  }

  // What a chat never touches: it only listens.
  get toolCalls(): never {
    throw new Error("a chat reads the events");
  }
  get pending(): never {
    throw new Error("a chat reads the events");
  }
  get textStream(): never {
    throw new Error("a chat does not read turns");
  }
  get result(): never {
    throw new Error("a chat awaits the outcome");
  }
  on(): never {
    throw new Error("a chat listens to the stream");
  }
  [Symbol.asyncIterator](): never {
    throw new Error("a chat does not read turns");
  }
}
