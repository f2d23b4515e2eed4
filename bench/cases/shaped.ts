import { type Measured, measure } from "../support/measure.ts";
import { figureOf, medians } from "../support/numbers.ts";
import type { Case, Figure } from "./figure.ts";

const EFFORTS = {
  full: { processes: 5, settings: { warmUps: 3, rounds: 9 } },
  quick: { processes: 1, settings: { warmUps: 2, rounds: 5 } },
} as const;

const BAR = { bar: 1.4, aim: 1.2 } as const;

interface Shaped {
  readonly about: string;
  /** Only the shapes that the design names have a bar. The others must not get slower. */
  readonly bar?: number;
  readonly aim?: number;
  readonly chunks: { readonly full: number; readonly quick: number };
}

const USUAL = { full: 100_000, quick: 30_000 } as const;

/** By the name of the answers in `measurements/shaped.ts`. */
const SHAPES: Readonly<Record<string, Shaped>> = {
  interleaved: {
    about: "each text as a string and as an object, and frames of a sub-agent between",
    ...BAR,
    chunks: USUAL,
  },
  "non-ascii": { about: "German, Chinese and emoji in UTF-8", ...BAR, chunks: USUAL },
  escapes: {
    about: "German, Chinese and emoji in `\\uXXXX`, spaces behind `,` and `:`",
    ...BAR,
    chunks: USUAL,
  },
  "short-turns": { about: "turns of 100 chunks, each with another id", ...BAR, chunks: USUAL },
  subagents: {
    about: "the ids of seven sub-agents in turns with the prompt's own, on a client of many turns",
    ...BAR,
    chunks: USUAL,
  },
  "10-bytes": { about: "texts of 10 bytes", chunks: USUAL },
  "2-kB": { about: "texts of 2 kB", chunks: { full: 20_000, quick: 5_000 } },
};

export const shaped: Case = {
  name: "shaped",
  about:
    "CPU per chunk of other shapes: objects, other scripts, escapes, ids that change, short and long texts",
  async measure(effort, progress) {
    const { processes, settings } = EFFORTS[effort];
    const figures: Figure[] = [];
    for (const [name, { about, chunks, ...limits }] of Object.entries(SHAPES)) {
      const samples: Measured[] = [];
      for (let process = 1; process <= processes; process++) {
        const what = `${settings.rounds} rounds of ${chunks[effort]} chunks`;
        progress(`${name}, process ${process} of ${processes}: ${what}`);
        samples.push(
          await measure("chunk", { protocol: `shaped-${name}`, chunks: chunks[effort], ...settings }),
        );
      }
      const found = medians(samples);
      progress(`raw ws and JSON.parse take ${figureOf(found, "raw µs").toFixed(2)} µs of CPU per chunk`);
      figures.push({
        name: `chunk-${name}`,
        about: `CPU per chunk, over raw ws and JSON.parse on the same frames: ${about}`,
        unit: "x",
        ...limits,
        measured: figureOf(found, `agentwire-${name}`),
      });
    }
    return figures;
  },
};
