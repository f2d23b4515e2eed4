import { CassClient, type CassClientOptions, CassRest } from "agentwire/cass";

/** Somebody at the door, or nobody in particular, with a connection. */
export interface Session {
  readonly client: CassClient;
  readonly name: string;
  /** Whether the server keeps conversations for this user. */
  readonly isSignedIn: boolean;
}

/** ms for which a lost reply is looked for: as long as somebody looks at the page. */
const RECOVERY = 30_000;

/** The socket is on the page's own origin, under the path that a proxy passes on to Cass. */
function socketUrl(): string {
  const { protocol, host } = location;
  return `${protocol === "https:" ? "wss" : "ws"}://${host}/cass/ws`;
}

/** @throws AgentwireError when the server refuses, or is not there */
export async function logIn(email: string, password: string): Promise<Session> {
  const rest = new CassRest({ url: socketUrl() });
  const { accessToken, refreshToken } = await rest.login({ email, password });
  // The tokens stay in the memory of this page, and a reload asks for the password again. In sessionStorage or
  // localStorage every script that gets into the page could read them, and the refresh token is good for a week.
  return open({ token: accessToken, refreshToken }, email);
}

/** @throws AgentwireError when the server wants to know who it is, or is not there */
export function enterAnonymously(): Promise<Session> {
  return open({ allowAnonymous: true }, "Without an account");
}

async function open(credentials: Partial<CassClientOptions>, fallback: string): Promise<Session> {
  const client = new CassClient({
    url: socketUrl(),
    // In the address it would be in the browser's console, and in the access logs of the server and every proxy.
    auth: "message",
    recover: true,
    recoverTimeout: RECOVERY,
    ...credentials,
  });
  try {
    await client.connect();
    const isSignedIn = client.identity?.userId != null;
    const name = isSignedIn ? ((await client.rest.me()).display_name ?? fallback) : fallback;
    return { client, name, isSignedIn };
  } catch (error) {
    await client.close({ force: true });
    throw error;
  }
}
