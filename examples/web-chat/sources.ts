import { type CassClientOptions, cass } from "agentwire/cass";
import { codebuff } from "agentwire/codebuff";
import { codey } from "agentwire/codey";
import { MockAgent } from "agentwire/testing/agent";
import type { AgentSource } from "agentwire/universal";
import { mockScript } from "./page/mock-script.ts";

/** ms between two pieces of an answer of the mock: about as fast as a model. */
const PACE = 25;

/** ms for which a lost reply is looked for: as long as somebody looks at the page. */
const RECOVERY = 30_000;

/** The backends. Each asks by hand (`"manual"`), so that a user interface shows what waits for the user. */
export function mockSource(): AgentSource {
  return new MockAgent({ script: mockScript, pace: PACE, reconnect: { maxAttempts: 5, delay: 3_000 } });
}

export function codebuffAt(url: string): AgentSource {
  return codebuff({
    url,
    tools: { get_time: () => [{ type: "json", value: { time: new Date().toLocaleTimeString() } }] },
    onToolApproval: "manual",
    onQuestion: "manual",
  });
}

/** Of its own accord the client never reconnects, because the server has forgotten everything. The page says so. */
export function codeyAt(url: string): AgentSource {
  return codey({ url, reconnect: {}, onToolApproval: "manual" });
}

export function cassAt(url: string, credentials: Partial<CassClientOptions>): AgentSource {
  return cass({
    url,
    // In the address the token would be in the browser's console, and in the access logs of the server and every proxy.
    auth: "message",
    recover: true,
    recoverTimeout: RECOVERY,
    ...credentials,
  });
}
