import { Dice } from "./dice.ts";

/** What the soak speaks. The two profiles of Codebuff are two protocols to it. */
export const PROTOCOLS = [
  "proxy",
  "codebuff",
  "codey",
  "cass",
  "codebuff-run",
  "acp",
  "codebuff-cli",
] as const;

export type ProtocolName = (typeof PROTOCOLS)[number];

/** The relay, by the log of its servers. */
export const RELAYS = ["relay-sqlite", "relay-redis"] as const;

/** All that the soak runs, each in a process of its own. */
export type SoakedName = ProtocolName | (typeof RELAYS)[number];

/** How bytes of one direction travel. */
export interface HalfPlan {
  /** `whole`: as they were read. `bytes`: one by one. `random`: in segments of chance. */
  readonly pieces: "whole" | "bytes" | "random";
  /** ms that each read is held back, at most. */
  readonly delay: number;
  /** ms for which bytes are gathered, to arrive at once; 0 for none. */
  readonly gather: number;
}

/** What happens to a link, once so many bytes have passed in one direction: mostly in the middle of a frame. */
export interface FaultPlan {
  /**
   * `rst`, `fin`: both sides are cut. `half-close`: one direction ends with a FIN. `half-open`: one direction
   * swallows everything, and so does nobody's end. `dead`: both do. `stall`: one direction waits, then goes on.
   */
  readonly kind: "rst" | "fin" | "half-close" | "half-open" | "dead" | "stall";
  readonly side: "up" | "down";
  readonly afterBytes: number;
  /** ms of a stall. */
  readonly ms: number;
}

/** One TCP connection through the proxy. `up` is from the client to the server. */
export interface LinkPlan {
  readonly up: HalfPlan;
  readonly down: HalfPlan;
  readonly fault: FaultPlan | undefined;
}

/** What the user says to one tool call. */
export interface CallPlan {
  readonly approve: boolean;
  /** ms that the user thinks. */
  readonly delay: number;
  readonly background: boolean;
}

export type Reader = "loop" | "slow" | "text" | "late" | "abandon" | "none";

/** Ends a turn from the user's side: after so many events, or so many ms. */
export interface StopPlan {
  readonly by: "cancel" | "signal" | "timeout";
  readonly afterEvents: number | undefined;
  readonly afterMs: number;
}

/** One turn: what the server answers, and what the user does meanwhile. */
export interface TurnPlan {
  readonly number: number;
  /** Pieces of the answer, with the ms before each. */
  readonly chunks: readonly { readonly text: string; readonly pause: number }[];
  /** Asked for behind the first chunk. */
  readonly calls: readonly CallPlan[];
  /** `hang` never ends, `silent` ends without a word, `drop` cuts the link. */
  readonly ending: "answer" | "error" | "hang" | "silent" | "drop";
  readonly reader: Reader;
  readonly stop: StopPlan | undefined;
  readonly channel: "client" | "conversation";
  /** Whether the next turn waits for the end of this one, or the ms until it is begun. */
  readonly gap: "settle" | number;
  /** The server is started anew before this turn. `graceful`: it says goodbye in its protocol's way. */
  readonly restart: "none" | "graceful" | "hard";
}

/** One client, from its first turn to its end. */
export interface ChapterPlan {
  readonly number: number;
  /** `calm`: bytes are split and gathered, nothing is cut, and every turn is answered that nobody stops. */
  readonly weather: "calm" | "rough";
  readonly turns: readonly TurnPlan[];
  readonly approvals: "callback" | "manual";
  /** How the client ends. `early`: closed while turns are open. `signal`: by the signal that it was made with. */
  readonly ending: "settled" | "early" | "force" | "signal";
  /** For what only one protocol has. */
  readonly variant: number;
}

/** Turns of one chapter, at most: numbers of turns are unique in a run. */
const TURNS = 100;

/** Links of a chapter that may be cut: then all is well, so that every chapter comes to an end. A turn of a run has about five. */
const ROUGH_LINKS: Partial<Readonly<Record<ProtocolName, number>>> & { readonly others: number } = {
  "codebuff-run": 60,
  others: 8,
};

/** How likely a link is cut: a turn of a run whose links are all cut would never get anywhere. */
const CUT: Partial<Readonly<Record<ProtocolName, number>>> & { readonly others: number } = {
  "codebuff-run": 0.15,
  others: 0.75,
};

const WORDS = ["naïve", "漢字", "👩‍🚀", "plain", "Zürich", "¿qué?", "𝔘nicode", "кот", "data:", "{}", "\\n"];

/** The plan of one chapter: the same seed gives the same one. */
export function chapterPlan(seed: number, protocol: ProtocolName, number: number): ChapterPlan {
  const dice = new Dice(seed, protocol, "chapter", number);
  const weather = dice.pick({ calm: 1, rough: 4 });
  const count = dice.int(4, 16);
  const turns: TurnPlan[] = [];
  for (let index = 0; index < count; index++) {
    const turn = turnPlan(dice, weather, number * TURNS + index);
    // A run whose model says nothing fails; elsewhere an empty answer is one.
    const isEmpty = protocol === "codebuff-run" && turn.chunks.length === 0;
    turns.push(isEmpty ? { ...turn, chunks: [{ text: `⟨${turn.number}.0⟩`, pause: 0 }] } : turn);
  }
  return {
    number,
    weather,
    turns,
    approvals: dice.pick({ callback: 2, manual: 1 }),
    ending: dice.pick({ settled: 4, early: 2, force: 1, signal: 1 }),
    variant: dice.int(0, 1_000_000),
  };
}

function turnPlan(dice: Dice, weather: ChapterPlan["weather"], number: number): TurnPlan {
  const calm = weather === "calm";
  const pieces = dice.pick({ few: 8, many: 2, none: 1 });
  const length = pieces === "none" ? 0 : pieces === "few" ? dice.int(1, 6) : dice.int(10, 60);
  const chunks = Array.from({ length }, (_, index) => ({
    text: chunkText(dice, number, index),
    pause: dice.chance(0.3) ? dice.int(1, 8) : 0,
  }));
  const calls = Array.from({ length: dice.chance(0.35) ? dice.int(1, 3) : 0 }, () => ({
    approve: dice.chance(0.6),
    delay: dice.pick({ no: 3, short: 2, long: 1 }) === "no" ? 0 : dice.int(1, 60),
    background: dice.chance(0.3),
  }));
  const reader = dice.pick({ loop: 5, slow: 2, text: 2, late: 1, abandon: 1, none: 2 });
  const stops = reader !== "abandon" && dice.chance(0.25);
  const afterEvents = dice.chance(0.5) ? dice.int(0, 4) : undefined;
  return {
    number,
    chunks,
    calls,
    ending: calm ? "answer" : dice.pick({ answer: 20, error: 2, hang: 1, silent: 1, drop: 1 }),
    reader,
    stop: stops
      ? {
          by: dice.pick({ cancel: 3, signal: 2, timeout: 1 }),
          afterEvents,
          afterMs: dice.chance(0.3) ? 0 : dice.int(1, 80),
        }
      : undefined,
    channel: dice.pick({ client: 2, conversation: 1 }),
    gap: dice.chance(0.4) ? "settle" : dice.chance(0.5) ? 0 : dice.int(1, 40),
    restart: calm ? "none" : dice.pick({ none: 40, graceful: 1, hard: 1 }),
  };
}

function chunkText(dice: Dice, number: number, index: number): string {
  const words: string[] = [];
  // Above 125 and above 65,535 bytes the header of a frame has another length.
  const size = dice.pick({ short: 20, long: 3, huge: 1 });
  const count =
    size === "short" ? dice.int(1, 5) : size === "long" ? dice.int(30, 300) : dice.int(8_000, 9_000);
  for (let word = 0; word < count; word++) words.push(WORDS[dice.int(0, WORDS.length - 1)] ?? "");
  return `${index === 0 ? "" : " "}⟨${number}.${index}⟩ ${words.join(" ")}`;
}

/** What the server says to a turn, if it comes to its end. */
export function answerOf({ chunks }: TurnPlan): string {
  return chunks.map(({ text }) => text).join("");
}

/** What the user says: it names its turn, and nothing else does so in the same way. */
export function promptOf(number: number): string {
  return `Turn «${number}», please: ñandú ✓`;
}

/** The turn that a prompt names. */
export function turnNamedIn(text: string): number | undefined {
  const digits = /«(\d+)»/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** How the links of a chapter go; the first has the number 0. */
export function linkPlan(
  seed: number,
  protocol: ProtocolName,
  { number, weather }: Pick<ChapterPlan, "number" | "weather">,
  link: number,
): LinkPlan {
  const dice = new Dice(seed, protocol, "link", number, link);
  const up = halfPlan(dice);
  const down = halfPlan(dice);
  const isRough = weather === "rough" && link < (ROUGH_LINKS[protocol] ?? ROUGH_LINKS.others);
  const cut = isRough && dice.chance(CUT[protocol] ?? CUT.others);
  return { up, down, fault: cut ? faultPlan(dice) : undefined };
}

function halfPlan(dice: Dice): HalfPlan {
  return {
    pieces: dice.pick({ whole: 3, random: 2, bytes: 1 }),
    delay: dice.chance(0.3) ? dice.int(1, 10) : 0,
    gather: dice.chance(0.2) ? dice.int(2, 15) : 0,
  };
}

function faultPlan(dice: Dice): FaultPlan {
  const side = dice.pick({ up: 1, down: 2 });
  const early = dice.chance(0.15);
  const most = side === "up" ? 4_000 : 20_000;
  return {
    kind: dice.pick({ rst: 4, fin: 3, "half-close": 2, "half-open": 2, dead: 1, stall: 3 }),
    side,
    // Early: before the upgrade is answered.
    afterBytes: early ? dice.int(0, 500) : dice.int(400, most),
    ms: dice.int(20, 400),
  };
}
