import { describe, expect, test } from "vitest";
import { Book, type Ending, TurnFacts } from "./book.ts";
import { codebuffDriver } from "./codebuff.ts";
import type { Server, WireFrame } from "./driver.ts";
import { judge } from "./judge.ts";
import { promptOf } from "./plan.ts";
import { Witness } from "./witness.ts";

const NOTHING_LEFT = { timers: 0, sockets: [], listeners: 0 };

/** A turn that was answered with "Hello you", called a tool with leave, and was read to its end. */
function goodTurn(number: number): TurnFacts {
  const facts = new TurnFacts({ number, expected: "Hello you", isAnswered: true, isCalm: true });
  facts.endings.push({ status: "completed", text: "Hello you" });
  facts.agrees = true;
  facts.status = "completed";
  facts.heard = "Hello you";
  facts.reading = { toTheEnd: true, text: "Hello you", end: "quiet" };
  facts.decided.set(0, true);
  return facts;
}

/** A chapter in which all went well. */
function goodBook(): { readonly book: Book; readonly turn: TurnFacts } {
  const book = new Book();
  const turn = goodTurn(1);
  for (const facts of [turn, goodTurn(2)]) {
    book.turns.set(facts.number, facts);
    book.received.push({ turn: facts.number, where: "server 1, connection 1" });
    book.ask(facts.number, 0);
    book.decision(facts.number, 0, true);
  }
  book.leftovers.push(NOTHING_LEFT);
  return { book, turn };
}

function ends(turn: TurnFacts, ending: Partial<Ending>): void {
  const status = ending.status ?? "completed";
  turn.endings[0] = { status, text: "Hello you", ...ending };
  turn.status = status;
  if (turn.reading && status === "failed") turn.reading.end = "threw";
  if (turn.reading && turn.endings[0].text !== "Hello you") turn.reading.text = turn.endings[0].text;
}

const NOT_SENT = { status: "failed", code: "connect-failed", delivery: "not-sent", text: "" } as const;

type Sabotage = (made: ReturnType<typeof goodBook>) => unknown;

const VIOLATIONS: readonly (readonly [kind: string, sabotage: Sabotage])[] = [
  ["not-settled", ({ turn }) => void turn.endings.pop()],
  ["settled-twice", ({ turn }) => void turn.endings.push({ status: "completed", text: "Hello you" })],
  ["result-disagrees", ({ turn }) => Object.assign(turn, { agrees: false })],
  ["status-disagrees", ({ turn }) => Object.assign(turn, { status: "streaming" })],
  ["late-event", ({ turn }) => void turn.lateEvents++],
  ["stray-event", ({ turn }) => void turn.strayEvents++],
  ["wrong-text", ({ turn }) => ends(turn, { text: "Hello me" })],
  ["wrong-partial", ({ turn }) => ends(turn, { status: "failed", text: "Hello me" })],
  ["wrong-event", ({ turn }) => Object.assign(turn, { heard: "Hello me" })],
  ["events-incomplete", ({ turn }) => Object.assign(turn, { heard: "Hello" })],
  [
    "wrong-reading",
    ({ turn }) => Object.assign(turn, { reading: { toTheEnd: true, text: "Hi", end: "quiet" } }),
  ],
  [
    "reading-incomplete",
    ({ turn }) => Object.assign(turn, { reading: { toTheEnd: true, text: "He", end: "quiet" } }),
  ],
  [
    "reader-hangs",
    ({ turn }) => Object.assign(turn, { reading: { toTheEnd: true, text: "Hello you", end: "open" } }),
  ],
  [
    "reader-threw",
    ({ turn }) => Object.assign(turn, { reading: { toTheEnd: true, text: "Hello you", end: "threw" } }),
  ],
  ["failed-in-calm", ({ turn }) => ends(turn, { status: "failed", code: "connection-lost" })],
  ["cancelled-by-nobody", ({ turn }) => ends(turn, { status: "cancelled", by: "user" })],
  ["prompt-twice", ({ book }) => void book.received.push({ turn: 1, where: "server 2, connection 1" })],
  ["prompt-unknown", ({ book }) => void book.received.push({ turn: 3, where: "server 1, connection 1" })],
  ["completed-unreceived", ({ book }) => void book.received.shift()],
  ["not-sent-received", ({ turn }) => ends(turn, { ...NOT_SENT, handsBack: true })],
  ["not-handed-back", ({ turn }) => ends(turn, NOT_SENT)],
  ["handed-back", ({ turn }) => ends(turn, { ...NOT_SENT, delivery: "unknown", handsBack: true })],
  ["undecided", ({ book }) => void book.asked.get("1.0")?.decisions.pop()],
  ["decided-twice", ({ book }) => book.decision(1, 0, true)],
  ["wrong-decision", ({ turn }) => void turn.decided.set(0, false)],
  ["approved-by-nobody", ({ turn }) => void turn.decided.delete(0)],
  ["decision-unasked", ({ book }) => book.decision(1, 1, false)],
  ["asked-twice", ({ book }) => book.ask(1, 0)],
  ["timer-left", ({ book }) => void book.leftovers.push({ ...NOTHING_LEFT, timers: 1 })],
  ["socket-left", ({ book }) => void book.leftovers.push({ ...NOTHING_LEFT, sockets: ["link 1"] })],
  ["listener-left", ({ book }) => void book.leftovers.push({ ...NOTHING_LEFT, listeners: 1 })],
];

const kinds = (book: Book): readonly string[] => [...judge(book)].map(({ kind }) => kind);

describe("the judge of a soak chapter", () => {
  test("finds nothing if everything went well", () => {
    expect(kinds(goodBook().book)).toEqual([]);
  });

  test.each(VIOLATIONS)("finds %s", (kind, sabotage) => {
    const made = goodBook();
    sabotage(made);
    expect(kinds(made.book)).toContain(kind);
  });

  test("finds a prompt that a server received although it was cancelled in the queue", () => {
    const { book, turn } = goodBook();
    turn.stopped = "queued";
    ends(turn, { status: "cancelled", by: "user" });
    expect(kinds(book)).toEqual(["cancelled-received"]);
  });

  test("finds a turn that completed without an answer", () => {
    const { book } = goodBook();
    const turn = new TurnFacts({ number: 3, expected: "", isAnswered: false, isCalm: false });
    turn.endings.push({ status: "completed", text: "" });
    turn.agrees = true;
    turn.status = "completed";
    book.turns.set(3, turn);
    book.received.push({ turn: 3, where: "server 1, connection 1" });
    expect(kinds(book)).toEqual(["completed-unanswered"]);
  });

  test("accepts a partial text, and an unsent prompt that is returned", () => {
    const { book, turn } = goodBook();
    const rough = new TurnFacts({ number: 1, expected: "Hello you", isAnswered: true, isCalm: false });
    rough.endings.push({ status: "failed", text: "Hello", code: "connection-lost", delivery: "unknown" });
    rough.agrees = true;
    rough.status = "failed";
    book.turns.set(1, rough);
    expect(kinds(book)).toEqual(["approved-by-nobody"]); // which the user of the good turn had done
    rough.decided.set(0, true);
    expect(kinds(book)).toEqual([]);
    turn.stopped = "queued";
    ends(rough, { ...NOT_SENT, handsBack: true });
    book.received.shift();
    expect(kinds(book)).toEqual([]);
  });
});

describe("the witness of a soak server", () => {
  const connection = { id: 1 };
  const frame = (direction: "c2s" | "s2c", message: object): WireFrame => ({
    direction,
    raw: JSON.stringify(message),
    connection,
  });
  const prompt = (number: number): WireFrame =>
    frame("c2s", { type: "action", txid: number, data: { type: "prompt", prompt: promptOf(number) } });
  const end = frame("s2c", { type: "action", data: { type: "prompt-response", promptId: "p" } });
  const ping = frame("c2s", { type: "ping", txid: 9 });
  const answer = frame("c2s", {
    type: "action",
    txid: 9,
    data: { type: "tool-call-response", requestId: "1.0", output: [] },
  });

  /** What is noted of a server with these frames. */
  function heard(frames: readonly WireFrame[], violations: Server["violations"] = [], strict = true): Book {
    const book = new Book();
    const server = { port: 1, frames, violations, restart: () => {}, stop: () => Promise.resolve() };
    new Witness(codebuffDriver("proxy"), book, strict).hear(server);
    return book;
  }

  test("records each prompt that a server gets, with its connection", () => {
    const { received } = heard([prompt(1), end, prompt(2), end]);
    expect(received).toEqual([
      { turn: 1, where: "server 1, connection 1" },
      { turn: 2, where: "server 1, connection 1" },
    ]);
  });

  test("finds a frame that is sent during a prompt, unless it is an answer or allowed", () => {
    expect(kinds(heard([prompt(1), ping, end]))).toContain("frame-mid-prompt");
    expect(kinds(heard([prompt(1), prompt(2)]))).toContain("frame-mid-prompt");
    expect(kinds(heard([ping, prompt(1), answer, end, ping, prompt(2)]))).not.toContain("frame-mid-prompt");
    expect(kinds(heard([prompt(1), ping, end], [], false))).not.toContain("frame-mid-prompt");
  });

  test("takes over the violations that the mock reports, unless cut links explain them", () => {
    const violations = ["left-mid-prompt", "second-identify"].map((kind) => ({ kind, detail: "" }));
    expect(kinds(heard([], violations))).toEqual(["client-mistake"]);
  });
});
