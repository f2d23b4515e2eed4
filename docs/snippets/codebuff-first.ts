// #region codebuff-first
import { CodebuffClient } from "agentwire/codebuff";

const client = new CodebuffClient({
  url: "wss://agent.example/ws", // used as it is: nothing is added
  authToken: () => readToken(), // a value, or a function that is asked each time
});
const turn = client.prompt("What is in this project?");
for await (const text of turn.textStream) process.stdout.write(text);
const { sessionState, cost } = await turn.result;
// #endregion

declare function readToken(): Promise<string>;

export { cost, sessionState };
