import { describeError } from "agentwire/chat";

export interface Login {
  readonly email: string;
  readonly password: string;
}

/** The server refused the login. The message is the server's own. */
export class LoginRefused extends Error {}

/** Why there is no way in, for people. */
export function refusalOf(error: unknown): string {
  if (error instanceof LoginRefused) return error.message;
  const { title, detail } = describeError(error);
  return `${title}. ${detail}`;
}
