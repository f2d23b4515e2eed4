import { MockCodebuffServer } from "agentwire/testing";

/** The server that `AGENTWIRE_URL` names, or a mock inside this process, which has to be stopped. */
export async function openServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { AGENTWIRE_URL: url } = process.env;
  return url ? { url, stop: async () => {} } : MockCodebuffServer.start();
}
