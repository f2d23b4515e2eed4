// #region testing-msw
import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuff } from "agentwire/testing";
import { ws } from "msw";
import { setupServer } from "msw/node";

const mock = new MockCodebuff({ answer: () => ["Hello"] });
const agent = ws.link("wss://agent.example/ws");
const network = setupServer(agent.addEventListener("connection", mock.accept));
network.listen({ onUnhandledFrame: "error" });
// what the app does:
const client = new CodebuffClient({ url: "wss://agent.example/ws", WebSocket: globalThis.WebSocket });

// #endregion

export { client, mock, network };
