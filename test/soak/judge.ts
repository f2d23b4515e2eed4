import type { AskedCall, Book, Ending, Leftovers, Received, TurnFacts, Violation } from "./book.ts";
import type { ClientInvariant } from "./invariants.ts";

/** Characters of a text that a message quotes. */
const QUOTED = 80;

/** Everything that must not be in a chapter that is over. */
export function* judge(book: Book): Iterable<Violation> {
  yield* book.noted;
  yield* judgePrompts(book);
  for (const turn of book.turns.values()) {
    for (const [kind, message] of judgeTurn(turn)) yield { kind, turn: turn.number, message };
    const received = book.received.some(({ turn: number }) => number === turn.number);
    for (const [kind, message] of judgeDelivery(turn, received)) yield { kind, turn: turn.number, message };
  }
  for (const asked of book.asked.values()) {
    const facts = book.turns.get(asked.turn);
    for (const [kind, message] of judgeCall(asked, facts)) yield { kind, turn: asked.turn, message };
  }
  for (const left of book.leftovers) yield* judgeLeftovers(left);
}

type Fault = readonly [kind: ClientInvariant, message: string];

function* judgePrompts({ received, turns }: Book): Iterable<Violation> {
  const seen = new Map<number, Received>();
  for (const prompt of received) {
    const { turn, where } = prompt;
    const before = seen.get(turn);
    if (before) yield fault("prompt-twice", `the server got it on ${before.where} and on ${where}`, turn);
    seen.set(turn, prompt);
    if (!turns.has(turn)) yield fault("prompt-unknown", `the server got it on ${where}; nobody asked`, turn);
  }
}

function fault(kind: ClientInvariant, message: string, turn?: number): Violation {
  return { kind, turn, message };
}

function* judgeTurn(turn: TurnFacts): Iterable<Fault> {
  const [ending, ...more] = turn.endings;
  if (!ending) {
    yield ["not-settled", `it has not settled; its status is ${turn.status ?? "unknown"}`];
    return;
  }
  if (more.length > 0) yield ["settled-twice", `it settled ${turn.endings.length} times`];
  if (turn.agrees !== true) yield ["result-disagrees", "`result` and `outcome` say different things"];
  if (turn.status !== ending.status)
    yield ["status-disagrees", `\`status\` is ${turn.status} behind the outcome ${ending.status}`];
  if (turn.lateEvents > 0) yield ["late-event", `${turn.lateEvents} events came behind its outcome`];
  if (turn.strayEvents > 0)
    yield ["stray-event", `${turn.strayEvents} events were told as those of another turn`];
  yield* judgeText(turn, ending);
  yield* judgeReading(turn, ending);
  if (turn.isCalm && ending.status === "failed" && turn.stopped === "no" && !turn.closed)
    yield ["failed-in-calm", `it failed with ${ending.code}, and nothing had been cut: ${ending.message}`];
  if (ending.status === "cancelled" && turn.stopped === "no" && !turn.closed)
    yield ["cancelled-by-nobody", `it was cancelled by ${ending.by}, and nobody had asked for that`];
}

function* judgeText({ expected, isAnswered, heard }: TurnFacts, { status, text }: Ending): Iterable<Fault> {
  if (status === "completed") {
    if (!isAnswered) yield ["completed-unanswered", "it completed, and the server had not answered"];
    else if (text !== expected) yield ["wrong-text", difference(text, expected)];
  } else if (!expected.startsWith(text)) yield ["wrong-partial", difference(text, expected)];
  if (!expected.startsWith(heard)) yield ["wrong-event", difference(heard, expected)];
  if (status === "completed" && heard !== text) yield ["events-incomplete", difference(heard, text)];
}

function* judgeReading({ reading, expected, closed }: TurnFacts, ending: Ending): Iterable<Fault> {
  const { status, by, code, text } = ending;
  if (!reading) return;
  if (!expected.startsWith(reading.text)) yield ["wrong-reading", difference(reading.text, expected)];
  if (!reading.toTheEnd) return;
  if (reading.end === "open") yield ["reader-hangs", "its reader still waits, behind the outcome"];
  if (reading.end === "threw something else")
    yield ["reader-threw", "its reader got another error than `outcome`"];
  if (closed) return; // the iteration ends at once, without a throw, if it has not ended before
  const throws = status === "failed" || (status === "cancelled" && by === "signal");
  if (
    reading.end !== "open" &&
    reading.end !== "threw something else" &&
    throws !== (reading.end === "threw")
  )
    yield ["reader-threw", `its reader ended ${reading.end}; the outcome is ${status} by ${by ?? code}`];
  const isDrained = status === "completed" || status === "failed";
  if (isDrained && reading.end !== "open" && reading.text !== text)
    yield ["reading-incomplete", difference(reading.text, text)];
}

function* judgeDelivery(turn: TurnFacts, received: boolean): Iterable<Fault> {
  const [ending] = turn.endings;
  if (!ending) return;
  const { status, delivery, handsBack, recovered } = ending;
  if (status === "completed" && !received)
    yield ["completed-unreceived", `it completed${recovered ? ", recovered," : ""} and no server had got it`];
  if (delivery === "not-sent") {
    if (received) yield ["not-sent-received", "its error says `not-sent`, and a server has got it"];
    if (handsBack !== true)
      yield ["not-handed-back", "its error says `not-sent` and does not hand the input back"];
  } else if (handsBack !== undefined) yield ["handed-back", `its input was handed back with \`${delivery}\``];
  if (status === "cancelled" && turn.stopped === "queued" && received)
    yield ["cancelled-received", "it was cancelled while it was queued, and a server has got it"];
}

function* judgeCall({ call, turn, decisions }: AskedCall, facts: TurnFacts | undefined): Iterable<Fault> {
  const name = `call ${turn}.${call}`;
  const given = facts?.decided.get(call);
  if (decisions.length > 1) yield ["decided-twice", `${name} was decided ${decisions.length} times`];
  if (decisions.includes(true) && given !== true)
    yield ["approved-by-nobody", `${name} was approved; the user said ${given ?? "nothing"}`];
  if (facts?.endings[0]?.status !== "completed") return;
  if (decisions.length === 0) yield ["undecided", `${name} was never decided, and its turn completed`];
  else if (decisions[0] !== given)
    yield ["wrong-decision", `${name} was decided ${decisions[0]}; the user said ${given ?? "nothing"}`];
}

function* judgeLeftovers({ timers, sockets, programs = [], listeners }: Leftovers): Iterable<Violation> {
  if (timers !== 0) yield fault("timer-left", `${timers} timers of the client are left behind its close`);
  for (const socket of sockets)
    yield fault("socket-left", `a socket is left behind the client's close: ${socket}`);
  for (const program of programs) yield fault("process-left", `${program} is left behind the client's close`);
  if (listeners !== 0)
    yield fault("listener-left", `${listeners} listeners are left on the caller's signals`);
}

/** Where two texts part. */
function difference(got: string, wanted: string): string {
  let at = 0;
  while (at < got.length && got[at] === wanted[at]) at++;
  const quote = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 10), at + QUOTED));
  return `from character ${at} it is ${quote(got)}, and not ${quote(wanted)} (${got.length} of ${wanted.length})`;
}
