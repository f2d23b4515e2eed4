// The globals that a client needs, and the error for an engine without them.
import { UnsupportedError } from "./errors.ts";

/**
 * A feature that some engines outside browsers lack. React Native has no `crypto`, no `TextDecoder` before 0.85, and a
 * `URL` whose parts mostly throw or are wrong.
 */
export interface Need {
  /** A package that adds the feature. */
  readonly from: string;
  /** The names that this engine lacks. */
  missing(): readonly string[];
}

/** Secure random numbers for ids. Those of `Math.random` can be guessed. */
export const RANDOM: Need = {
  from: "react-native-get-random-values",
  missing: () =>
    typeof crypto === "object" && typeof crypto.getRandomValues === "function"
      ? []
      : ["crypto.getRandomValues"],
};

/** `URL` parsing. The parts of a URL decide where credentials may be sent. */
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

/** @throws UnsupportedError that lists the missing features and packages that add them. */
export function assertEngine(needs: readonly Need[]): void {
  const lacking = needs.filter((need) => need.missing().length > 0);
  if (lacking.length === 0) return;
  const missing = lacking.flatMap((need) => need.missing()).map((name) => `\`${name}\``);
  const packages = lacking.map(({ from }) => `\`import "${from}";\``);
  throw new UnsupportedError(
    `this engine lacks, or gets wrong, ${missing.join(", ")}.`,
    `Install a polyfill before you create the client; on React Native use ${packages.join(" and ")}.`,
  );
}
