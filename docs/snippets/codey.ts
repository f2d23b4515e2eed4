// What docs/codey.md shows. Each function holds one region and gives it what it takes for granted.
import { CodeyClient, type ToolCall } from "agentwire/codey";

/** What the app of the page has besides its client. */
export interface App {
  /** The user's word on a call that is shown in full. */
  confirm(call: ToolCall, options: { readonly signal: AbortSignal }): Promise<boolean>;
  isProjectFile(input: unknown): boolean;
}

export function policy(url: string, { confirm, isProjectFile }: App): CodeyClient {
  // #region codey-policy
  const client = new CodeyClient({
    url,
    toolPolicy: [
      { tool: "mcp_read_file", when: ({ input }) => isProjectFile(input), then: "allow" },
      // the whole input: with a `working_dir` beside it, the same command may be another one
      { tool: "mcp_shell", when: ({ input }) => JSON.stringify(input) === '{"command":"ls"}', then: "allow" },
      { tool: "mcp_web_search", then: "deny" },
    ],
    onToolApproval: async (call, { signal }) => {
      if (await confirm(call, { signal })) return "once"; // "always" would be this command again, as `call.grant` says
      return { decision: "reject", reason: "not now" };
    },
  });
  // #endregion
  return client;
}

/** A dialog with a list of what is open. */
export interface Dialog {
  show(call: ToolCall): void;
  hide(id: string): void;
}

export function manual(url: string, dialog: Dialog): { client: CodeyClient; onClick: (id: string) => void } {
  // #region codey-manual
  const client = new CodeyClient({ url, onToolApproval: "manual", approvalTimeout: 300_000 });
  client.on("approval", (call) => dialog.show(call)); // late listeners are told what is open
  // later, from anywhere:
  const onClick = (id: string): void => {
    const { by } = client.decide(id, "once"); // "reply"; or "timeout", "cancelled", ... if that came first
    console.log(`decided by: ${by}`);
    dialog.hide(id);
  };
  // #endregion
  return { client, onClick };
}

export async function cancelling(client: CodeyClient): Promise<void> {
  // #region codey-cancel
  const turn = client.prompt("Rewrite everything.");
  const outcome = await turn.cancel(); // the loop over `turn` ends at once, `outcome` when it is safe to go on
  if (outcome.status === "cancelled") {
    const { text, toolCalls = [], endedBy } = outcome.partial;
    const cut = toolCalls.filter(({ state }) => state === "abandoned"); // what had begun may still run
    console.log(text.length, cut.length, endedBy);
  }
  const next = client.prompt("Leave it, then."); // gets nothing of the old one
  // #endregion
  await next.result;
}

export function reconnecting(url: string): CodeyClient {
  // #region codey-reconnect
  const client = new CodeyClient({ url, reconnect: { maxAttempts: 3 } });
  client.on("sessionStarted", ({ sessionId, contextLost }) => {
    console.log(contextLost ? `${sessionId} knows nothing of what was said` : sessionId);
  });
  // #endregion
  return client;
}
