// `agentwire/acp` on platforms without processes: each name throws, so that an app can import it anywhere.
import { UnsupportedError } from "../core/errors.ts";

export * from "../core/index.ts";
export { AcpAuthError, AcpLostError, AcpTurnError } from "./errors.ts";

export class AcpClient {
  /** @throws UnsupportedError always */
  constructor() {
    refuse("AcpClient");
  }
}

/** The functions below always throw UnsupportedError. */
export const acp = (): never => refuse("acp");
export const toUniversal = (): never => refuse("toUniversal");

function refuse(name: string): never {
  throw new UnsupportedError(
    `\`${name}\` exists on Node only: it needs processes.`,
    "Use it in a server, and read its sessions over a relay (`agentwire/remote`).",
  );
}
