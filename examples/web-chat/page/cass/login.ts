import { CassApiError, CassRest } from "agentwire/cass";
import type { AgentSource } from "agentwire/universal";
import { cassAt } from "../../sources.ts";
import { socketUrl } from "../address.ts";
import { type Login, LoginRefused } from "../login.ts";

const PATH = "/cass/ws";

/** HTTP statuses from here on are trouble of the server, and no refusal. */
const TROUBLE = 500;

/** @throws LoginRefused; AgentwireError if the server is not there */
export async function logInToCass({ email, password }: Login): Promise<AgentSource> {
  const rest = new CassRest({ url: socketUrl(PATH) });
  try {
    const { accessToken, refreshToken } = await rest.login({ email, password });
    // The tokens stay in the memory of this page, and a reload asks for the password again. In sessionStorage or localStorage every
    // script that gets into the page could read the tokens, and the refresh token is good for a week.
    return cassAt(socketUrl(PATH), { token: accessToken, refreshToken });
  } catch (error) {
    if (error instanceof CassApiError && error.status < TROUBLE)
      throw new LoginRefused(error.serverMessage, { cause: error });
    throw error;
  }
}

/** Without an account: nothing is remembered. */
export function enterCass(): AgentSource {
  return cassAt(socketUrl(PATH), { allowAnonymous: true });
}
