// Receives a model's answer, as a stream or as one JSON object.
import { isAgentwireError } from "../../core/errors.ts";
import { bytesOf, parsed } from "../../core/http/answer.ts";
import { errorIn } from "../errors.ts";
import type { OpenedResponse, Traffic } from "../http.ts";
import { readChatMessage } from "../messages.ts";
import { type AnswerBuilder, type AnswerPiece, chunkOfCompletion } from "./answer.ts";
import { brokenOff, DONE, eventsOf, parsedData } from "./event-stream.ts";
import type { Watch } from "./watch.ts";

export interface Receiver {
  readonly answer: AnswerBuilder;
  readonly tell: (piece: AnswerPiece) => void;
  /** Settles when the turn's reader has caught up; `undefined`: the reader is not slow. */
  readonly slowed: () => Promise<void> | undefined;
}

export interface Arrival {
  readonly watch: Watch;
  /** Called when bytes arrive: from then on, a retry would repeat work of the server. */
  readonly began: () => void;
  readonly traffic: Traffic;
}

export async function receive(opened: OpenedResponse, receiver: Receiver, arrival: Arrival): Promise<void> {
  const { response, reading } = opened;
  const { answer, tell, slowed } = receiver;
  const { watch, began, traffic } = arrival;
  const { frame, message, input } = traffic;
  const take = (value: unknown): void => {
    if (value !== undefined) message(value);
    takeMessage(value, receiver, reading.redact);
  };
  const arrive = (data: string): void => {
    frame("in", data);
    if (data === DONE) answer.isDone = true;
    else take(parsedData(data));
  };
  const type = response.headers.get("content-type") ?? "";
  if (/^\s*application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    began();
    const bytes = await watch.wait(bytesOf(response, reading)).catch((error: unknown) => {
      if (!isAgentwireError(error, "connect-failed")) throw error;
      throw brokenOff("stream_interrupted", error.cause, reading.redact);
    });
    input(() => {
      frame("in", `${response.status} ${new TextDecoder().decode(bytes)}`);
      const body = parsed(bytes);
      take(body === undefined ? undefined : chunkOfCompletion(body));
      answer.isDone = true;
      answer.end(tell);
    });
    return;
  }
  for await (const list of eventsOf(opened, watch, began)) {
    for (const data of list) input(() => arrive(data));
    const wait = slowed();
    if (!wait) continue;
    watch.hold();
    await watch.wait(wait);
    watch.goOn();
  }
  answer.end(tell);
}

function takeMessage(value: unknown, { answer, tell }: Receiver, redact: (text: string) => string): void {
  const read = readChatMessage(value);
  if (read.type === "chunk") answer.add(read.chunk, tell);
  else throw errorIn(read, redact);
}
