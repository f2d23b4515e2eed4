// Whom the server takes a connection for.
import type { Settings } from "./profiles.ts";
import type { ReceivedAuth } from "./record.ts";
import type { TokenReading, Tokens } from "./tokens.ts";

/** Somebody whom the client is not. */
export const FOREIGN_USER = "00000000-0000-4000-8000-00000000f0e1";

/** Who the server takes a connection for, and how that changes. */
export class Identity {
  readonly #tokens: Tokens;
  /** Whether a token was given that counts for nothing. */
  readonly isRefused: boolean;
  userId: string | null;

  /** @param token of the address */
  constructor(token: string | undefined, tokens: Tokens, settings: Settings) {
    const reading = tokens.read(token);
    const userId = accepted(reading, settings);
    const { localhostBypass, localhostUser } = settings;
    this.#tokens = tokens;
    this.isRefused = userId === undefined && reading.kind !== "missing";
    // Everybody is trusted who comes from this machine, and here everybody does.
    this.userId = userId ?? (localhostBypass ? localhostUser : null);
  }

  /** Takes the token of an `auth`, or does not. */
  present(token: unknown, settings: Settings): ReceivedAuth["answer"] {
    switch (settings.auth) {
      case "unknown":
        return "error";
      case "silence":
        return "silence";
      case "error":
        return "auth_error";
      case "falseSuccess":
        return "auth_success";
      case "checked":
        return this.#check(token, settings);
    }
  }

  #check(token: unknown, settings: Settings): ReceivedAuth["answer"] {
    const reading = this.#tokens.read(token);
    if (reading.kind === "missing") return "silence";
    const userId = accepted(reading, settings);
    if (userId !== undefined) this.userId = userId;
    const isSomebody = settings.badAuth === "oldIdentity" && this.userId !== null;
    return userId !== undefined || isSomebody ? "auth_success" : "auth_error";
  }
}

/** Whose token it is, if it counts. */
export function accepted(token: TokenReading, { adminTokens }: Settings): string | undefined {
  if (token.kind === "access") return token.userId;
  return token.kind === "admin" && adminTokens ? token.userId : undefined;
}
