/** A promise that is kept as soon as clients commit first and tell then. Until then its test must fail. */
export interface Change {
  /** The title. */
  readonly test: string;
  /** What changes for users, and why. */
  readonly reason: string;
  /** Fixtures that keep it already. @default none */
  readonly already?: readonly string[];
}

/** What a listener causes was told in the middle of what it was told itself. */
const NESTED =
  "what a call in a listener causes is told once everybody has heard what was told before, not in between";

/** Listeners that acted made earlier statuses stale, and those behind them were told the newest alone. */
const SKIPPED =
  "each status is told to every listener with its own value: none is left out because a newer one stands";

const AHEAD =
  "a frame is handled to its end before anything is told, so that what is shown may be ahead of what is told";

export const changes: readonly Change[] = [
  {
    test: "order: a listener that cancels at `streaming` hides no status from those behind it",
    reason: SKIPPED,
  },
  {
    test: "order: a listener that closes the client at `streaming` hides no status from those behind it",
    reason: SKIPPED,
  },
  {
    test: "order: what a call in a listener causes is told behind what was to be told before",
    reason: NESTED,
  },
  { test: "order: no listener is called while another one is", reason: NESTED },
  {
    test: "order: a listener that is removed in another one hears nothing more",
    reason:
      "who has left is asked for at each delivery: a list that was made before still had the removed listener",
  },
  {
    test: "order: a listener that another one adds is not told what came before it",
    reason:
      "an event belongs to those who listened when it came: the turn's new listener was told what the client's was just hearing",
  },
  {
    test: "order: what a listener throws is told behind what was to be told before",
    reason: "the warning joins the end like everything that a listener causes",
  },
  {
    test: "order: a logger may call the client, and what it causes is told behind what was to be told before",
    reason: "the logger is told like a listener, and what it causes joins the end",
  },
  ...["cancels a turn", "aborts the signal of a turn"].map((stops) => ({
    test: `order: a listener that ${stops} takes the event from those behind it`,
    reason: "nobody is told an event of a turn that was cancelled meanwhile: those behind were told one more",
  })),
  { test: "order: a time-out is told to all before what its first listener causes", reason: NESTED },
  {
    test: "order: what a listener of the last event asks for comes too late to change the answer",
    reason: `${AHEAD}: the end is in the frame of the last event, which a listener could turn into a cancel`,
  },
  ...["prompts", "prompts, and cancels that"].map((acts) => ({
    test: `order: all hear the same in the same order when one of them ${acts}`,
    reason: NESTED,
    already: ["codebuff-cli", "codebuff, proxy", "codebuff, original"],
  })),
  { test: "order: all hear the same in the same order when one of them closes the client", reason: NESTED },
  { test: "frames: who is told of a frame sees what it has brought", reason: AHEAD },
  {
    test: "frames: a listener that another one adds is not told of the message of the frame that came before it",
    reason: "frame and message were there before the new listener",
  },
  { test: "frames: listeners hear both ways in the same order when one of them prompts", reason: NESTED },
  {
    test: "frames: an answer that is complete is told to all before the frame of the prompt that its listener makes",
    reason: NESTED,
    already: ["codebuff, proxy"],
  },
  { test: "frames: who is told of a loss finds a client that has left `ready`", reason: AHEAD },
  {
    test: "frames: a listener that closes the client at a loss leaves the loss to those behind it first",
    reason: NESTED,
  },
];

/** The reason of a title that does not hold yet on a protocol. */
export function changeOf(protocol: string, title: string): string | undefined {
  const change = changes.find(({ test }) => test === title);
  return change?.already?.includes(protocol) ? undefined : change?.reason;
}
