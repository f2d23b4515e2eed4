import { UnsupportedError } from "./errors.ts";

/**
 * Something beyond the language that an engine without a browser may lack. React Native has no `crypto`, no `TextDecoder`
 * before 0.85, and a `URL` that throws at most of its parts or reads them wrongly.
 */
export interface Need {
  /** A package that adds it. */
  readonly from: string;
  /** The names that the engine lacks. */
  missing(): readonly string[];
}

/** Random numbers for ids that cannot be guessed, unlike those of `Math.random`. */
export const RANDOM: Need = {
  from: "react-native-get-random-values",
  missing: () =>
    typeof crypto === "object" && typeof crypto.getRandomValues === "function"
      ? []
      : ["crypto.getRandomValues"],
};

/** Addresses. Where credentials may go is decided by their parts. */
export const ADDRESSES: Need = {
  from: "react-native-url-polyfill/auto",
  missing: () => {
    if (typeof URL !== "function") return ["URL"];
    const sample = parsedSample();
    return Object.entries(SAMPLE)
      .filter(([part, value]) => partOf(sample, part) !== value)
      .map(([part]) => `URL.${part}`);
  },
};

export const TEXT: Need = {
  from: "@bacons/text-decoder/install",
  missing: () => (typeof TextDecoder === "function" ? [] : ["TextDecoder"]),
};

const SAMPLE = {
  href: "wss://u:p@h.example:1/a?b#c",
  protocol: "wss:",
  host: "h.example:1",
  hostname: "h.example",
  username: "u",
  password: "p",
  hash: "#c",
  origin: "wss://h.example:1",
  pathname: "/a",
};

function parsedSample(): object {
  try {
    return new URL(SAMPLE.href);
  } catch {
    return {}; // every part counts as missing
  }
}

function partOf(url: object, part: string): unknown {
  try {
    return Reflect.get(url, part);
  } catch {
    return undefined; // a part that throws counts as missing
  }
}

/** @throws UnsupportedError with all that is missing, and the packages that add it. */
export function assertEngine(needs: readonly Need[]): void {
  const lacking = needs.filter((need) => need.missing().length > 0);
  if (lacking.length === 0) return;
  const missing = lacking.flatMap((need) => need.missing()).map((name) => `\`${name}\``);
  const packages = lacking.map(({ from }) => `\`import "${from}";\``);
  throw new UnsupportedError(
    `this engine lacks, or gets wrong, ${missing.join(", ")}.`,
    `Bring it before the client is made; on React Native by ${packages.join(" and ")}.`,
  );
}
