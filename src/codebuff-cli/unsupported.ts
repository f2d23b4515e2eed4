// `agentwire/codebuff-cli` where there are no processes: the names of index.ts. An app that is built for several platforms
// links everywhere, and gets an error that says what is wrong when it uses one of them.
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

/** Each throws UnsupportedError, always. */
export const findCodebuffCredentials = (): never => refuse("findCodebuffCredentials");
export const resolveCodebuffCredentials = (): never => refuse("resolveCodebuffCredentials");
export const listCodebuffChats = (): never => refuse("listCodebuffChats");

function refuse(name: string): never {
  throw new UnsupportedError(
    `\`${name}\` is there on Node only: it needs processes and files.`,
    "Use it in a server; in a browser take `CodebuffClient`, of `agentwire/codebuff`.",
  );
}
