// #region testing-cass-msw
import { MockCass } from "agentwire/testing";
import { http, ws } from "msw";
import { setupServer } from "msw/node";

const mock = new MockCass({ answer: () => ["Hello <gesture:wave>"] });
const agent = ws.link("wss://cass.example/ws");
const network = setupServer(
  agent.addEventListener("connection", mock.accept),
  http.all("https://cass.example/*", ({ request }) => mock.fetch(request)),
);
network.listen({ onUnhandledFrame: "error" });

// #endregion

export { mock, network };
