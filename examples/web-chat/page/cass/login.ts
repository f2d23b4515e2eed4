import { CassApiError, type CassClientOptions, CassRest, cass } from "agentwire/cass";
import type { AgentSource } from "agentwire/universal";
import { socketUrl } from "../address.ts";
import { type Login, LoginRefused } from "../login.ts";

const PATH = "/cass/ws";

/** ms for which a lost reply is looked for: as long as somebody looks at the page. */
const RECOVERY = 30_000;

/** HTTP statuses from here on are trouble of the server, and no refusal. */
const TROUBLE = 500;

/** @throws LoginRefused; AgentwireError if the server is not there */
export async function logInToCass({ email, password }: Login): Promise<AgentSource> {
  const rest = new CassRest({ url: socketUrl(PATH) });
  try {
    const { accessToken, refreshToken } = await rest.login({ email, password });
    // The tokens stay in the memory of this page, and a reload asks for the password again. In sessionStorage or localStorage every
    // script that gets into the page could read the tokens, and the refresh token is good for a week.
    return sourceFor({ token: accessToken, refreshToken });
  } catch (error) {
    if (error instanceof CassApiError && error.status < TROUBLE)
      throw new LoginRefused(error.serverMessage, { cause: error });
    throw error;
  }
}

/** Without an account: nothing is remembered. */
export function enterCass(): AgentSource {
  return sourceFor({ allowAnonymous: true });
}

function sourceFor(credentials: Partial<CassClientOptions>): AgentSource {
  return cass({
    url: socketUrl(PATH),
    // In the address the token would be in the browser's console, and in the access logs of the server and every proxy.
    auth: "message",
    recover: true,
    recoverTimeout: RECOVERY,
    ...credentials,
  });
}
