// What `agentwire/codebuff-cli` is where there are no processes: the names of index.ts, so that a program that is built for
// several platforms links everywhere, and learns what is wrong when it uses one of them.
import { UnsupportedError } from "../core/errors.ts";

export * from "../core/index.ts";
export { CodebuffCliError } from "./errors.ts";

export class CodebuffCli {
  /** @throws UnsupportedError always */
  constructor() {
    refuse("CodebuffCli");
  }
}

export class CodebuffCredentials {
  /** @throws UnsupportedError always */
  constructor() {
    refuse("CodebuffCredentials");
  }
}

/** @throws UnsupportedError always */
export function findCodebuffCredentials(): never {
  refuse("findCodebuffCredentials");
}

/** @throws UnsupportedError always */
export function resolveCodebuffCredentials(): never {
  refuse("resolveCodebuffCredentials");
}

/** @throws UnsupportedError always */
export function listCodebuffChats(): never {
  refuse("listCodebuffChats");
}

function refuse(name: string): never {
  throw new UnsupportedError(
    `\`${name}\` is there on Node only: it needs processes and files.`,
    "Use it in a server; in a browser take `CodebuffClient`, of `agentwire/codebuff`.",
  );
}
