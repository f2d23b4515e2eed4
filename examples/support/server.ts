import { type Answer, MockCodebuffServer } from "agentwire/testing";

/** Shows that it is told what was said before. */
const remember: Answer = ({ messages }) => {
  const said = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const before = said.length > 1 ? ` Before that: ${said.slice(0, -1).join(", ")}.` : "";
  return ["Hello! ", `You said: ${said.at(-1)}`, before];
};

/** The server that `AGENTWIRE_URL` names, or a mock inside this process, which has to be stopped. */
export async function openServer(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { AGENTWIRE_URL: url } = process.env;
  return url ? { url, stop: async () => {} } : MockCodebuffServer.start({ answer: remember });
}
