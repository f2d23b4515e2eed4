import { UnsupportedError } from "./errors.ts";

/**
 * What clients need beyond the language, and an engine without a browser may lack. React Native's has no `crypto`, a `URL` that
 * throws at most of its parts or reads them wrongly, and before 0.85 no `TextDecoder`.
 */
export interface Need {
  /** A package that brings it. */
  readonly from: string;
  /** What of it is not there, to be named. */
  missing(): readonly string[];
}

/** Random numbers that nobody can guess. There is no other source: ids made of `Math.random` could be guessed. */
export const RANDOM: Need = {
  from: "react-native-get-random-values",
  missing: () =>
    typeof crypto === "object" && typeof crypto.getRandomValues === "function"
      ? []
      : ["crypto.getRandomValues"],
};

/** Addresses, read as the platform's WebSocket reads them: credentials go by what is read. */
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

/** Text of bytes. */
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

/** Without any part where it cannot be read at all. */
function parsedSample(): object {
  try {
    return new URL(SAMPLE.href);
  } catch {
    return {}; // which is reported, by the names of the parts
  }
}

/** `undefined` for a part that throws. */
function partOf(url: object, part: string): unknown {
  try {
    return Reflect.get(url, part);
  } catch {
    return undefined; // which is reported, by the name of the part
  }
}

/** @throws UnsupportedError that names all that is missing, and what brings it. */
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
