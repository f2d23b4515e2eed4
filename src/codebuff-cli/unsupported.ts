// `agentwire/codebuff-cli` on platforms without processes: each name throws, so that an app can import it anywhere.
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

/** The functions below always throw UnsupportedError. */
export const findCodebuffCredentials = (): never => refuse("findCodebuffCredentials");
export const resolveCodebuffCredentials = (): never => refuse("resolveCodebuffCredentials");
export const listCodebuffChats = (): never => refuse("listCodebuffChats");
export const codebuffCli = (): never => refuse("codebuffCli");
export const toUniversal = (): never => refuse("toUniversal");

function refuse(name: string): never {
  throw new UnsupportedError(
    `\`${name}\` exists on Node only: it needs processes and files.`,
    "Use it in a server. In a browser, use `CodebuffClient` from `agentwire/codebuff`.",
  );
}
