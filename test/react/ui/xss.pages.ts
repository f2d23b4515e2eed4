import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isSkipped, launchChromium } from "../../docs/support/snippet-pages.ts";
import { share } from "../../helpers/runs.ts";
import { PAYLOAD_COUNT, somePayloads } from "../../screens/payloads.ts";
import type { TestPage } from "./support/program.tsx";
import { openUi } from "./support/ui-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (!isSkipped) browser = await launchChromium();
});
afterAll(() => browser?.close());

// `program.tsx` puts it there. The functions below run in the page.
declare const page: TestPage;

/** A quarter of the payloads; in `npm run full -- browser` all 2,000. */
const TRIED = somePayloads(Math.min(PAYLOAD_COUNT, share(PAYLOAD_COUNT)));

/** Payloads on one page. */
const BATCH = 50;

/** Shows a chat that has the payloads in every field of every part, and in all that waits and is told; with `asks`, the requests. */
function show(payloads: readonly string[], asks: boolean): void {
  const list = <T>(values: readonly T[]) =>
    Object.assign([...values], {
      at: (index: number) => values.at(index),
      toArray: () => values,
      toJSON: () => values,
    });
  const partsOf = (p: string) => {
    const json = { [p]: p, nested: [p] };
    const diff = `@@ -1,1 +1,1 @@ ${p}\n-${p}\n+${p}\n`;
    const preview = [{ path: p, diff, by: "agent" }];
    const annotations = [{ url: p, title: p }, { path: p, title: p }, { url: p }];
    const questions = [
      { question: p, header: p, options: [{ label: p, description: p }], multi_select: false },
    ];
    const content = [
      { type: "image", path: p },
      { type: "json", json },
      { type: "text", text: p },
    ];
    const tool = {
      type: "tool",
      name: p,
      title: p,
      callId: p,
      input: json,
      output: p,
      content: [],
      locations: [{ path: p }],
      preview,
    };
    const marked = `Words ${p} words\n\n> ${p}\n\n- ${p}\n\n# ${p}\n\n**${p}** \`${p}\` [${p}](${p}) ![${p}](${p})\n\n| a |\n| - |\n| ${p} |`;
    const parts = [
      { type: "text", open: false, text: p, annotations },
      { type: "text", open: true, text: marked },
      { type: "reasoning", open: false, text: p, visibility: "public" },
      { ...tool, state: "failed", input: p, approval: { id: p, status: "reject", reason: p } },
      { ...tool, state: "done", output: "", content, kind: p },
      {
        type: "question",
        questions,
        answers: [{ question_index: 0, selected: [p], other_text: p }],
        status: "answered",
      },
      { type: "file", path: p, mediaType: p, action: "patch", diff },
      { type: "file", path: `data:${p}`, mediaType: p },
      { type: "file", path: `data:image/png;base64,${p}`, mediaType: p },
      { type: "status", label: p, detail: p },
      { type: "status", label: "notice", detail: p, severity: p },
      { type: "status", label: p, detail: p, failed: true, json },
      { type: "data", json },
      { type: "error", message: p, code: p },
    ].map((part, index) => ({ ...part, id: `${index} ${p}` }));
    const inner = list(parts.slice(0, 3));
    const sub = {
      type: "subagent",
      id: `sub ${p}`,
      agentType: p,
      name: p,
      prompt: p,
      state: "done",
      parts: inner,
    };
    return list([...parts, sub]);
  };
  const messages = list(
    payloads.flatMap((p) => {
      const parts = partsOf(p);
      const error = { title: p, detail: p, retry: "ask" };
      const message = {
        startedAt: 0,
        endedAt: 0,
        parts,
        model: p,
        cost: { total: 1, currency: p },
        usage: { output_tokens: 1 },
        error,
      };
      const own = list(parts.toArray().filter(({ type }) => type === "text" || type === "file"));
      const told = list(parts.toArray().filter(({ type }) => type === "status" || type === "error"));
      return [
        { ...message, id: `user ${p}`, role: "user", status: "sent", parts: own },
        { ...message, id: `answer ${p}`, role: "assistant", status: "failed" },
        { ...message, id: `system ${p}`, role: "system", status: "completed", parts: told },
      ];
    }),
  );
  const requests = payloads.flatMap((p) => [
    {
      type: "approval",
      id: `approval ${p}`,
      tool: p,
      input: { [p]: p },
      grant: p,
      agent: p,
      preview: [{ path: p, diff: `+${p}`, by: "agent" }],
    },
    {
      type: "question",
      id: `question ${p}`,
      questions: [{ question: p, header: p, options: [{ label: p, description: p }], multi_select: true }],
    },
  ]);
  const [first = ""] = payloads;
  const error = { title: first, detail: first, retry: "ask" };
  const available = payloads.map((p) => ({ id: p, name: p, description: p }));
  const snapshot = {
    messages,
    connection: { status: "closed", attempt: 0, contextLost: true, reason: error },
    pending: requests,
    approvals: payloads.map((p) => ({ id: p, tool: p, grant: p, scope: "turn" })),
    capabilities: { branches: true, modes: true, models: true, cancelOnWire: true },
    loading: false,
    busy: false,
    queue: payloads.map((p) => ({ id: p, input: p, at: 0 })),
    problem: error,
    usage: { output_tokens: 1 },
    cost: payloads.map((p) => ({ total: 1, currency: p })),
    plan: payloads.map((p) => ({ content: p, status: "pending", priority: "high" })),
    context: { used: 1, size: 2 },
    modes: { current: first, available },
    models: { current: first, available },
    commands: [],
  };
  const nothing = () => ({ ok: true });
  const chat = new Proxy(
    { getSnapshot: () => snapshot, subscribe: () => () => {} },
    { get: (known, name) => Reflect.get(known, name) ?? nothing },
  );
  const chats = {
    chats: payloads.map((p) => ({ id: p, title: p })),
    current: first,
    onChoice: nothing,
  };
  // @ts-expect-error a snapshot that no backend makes
  if (asks) page.ask(chat, requests);
  // @ts-expect-error the same
  else page.show(chat, { title: first, agent: first, suggestions: [...payloads], chats });
}

/** What could run code or leave the page, in the elements that are shown. */
const SUSPECTS = `(() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  for (const button of document.querySelectorAll(".aw-text button")) button.click();
  const all = [...document.querySelectorAll("#root *")];
  const found = all.flatMap((one) => [
    ...(/^(script|iframe|object|embed|style|link|base|meta|math|video|audio|source)$/.test(one.localName) ? [one.localName] : []),
    ...one.getAttributeNames().filter((name) => name.startsWith("on") || name === "style" || name === "srcdoc"),
    ...(one.localName === "a" && !/^https?:$/.test(one.protocol) ? [one.href] : []),
    ...(one.localName === "a" && one.rel !== "noopener noreferrer nofollow" ? ["rel"] : []),
    ...(one.localName === "img" && !one.src.startsWith("data:image/") ? [one.src] : []),
  ]);
  return { found, count: all.length };
})()`;

test.skipIf(isSkipped)(
  "nothing that an agent writes runs, and no request leaves: payloads in every field of every part",
  { timeout: 600_000 },
  async () => {
    await using ui = await openUi(browser);
    const { page: shown } = ui;
    for (let from = 0; from < TRIED.length; from += BATCH) {
      const payloads = TRIED.slice(from, from + BATCH);
      for (const asks of [false, true]) {
        await shown.evaluate(`(${show.toString()})(${JSON.stringify(payloads)}, ${asks}); page.settled()`);
        const { found, count } = await shown.evaluate<{ found: readonly string[]; count: number }>(SUSPECTS);
        expect({ from, found }).toEqual({ from, found: [] });
        expect(count).toBeGreaterThan(BATCH * 10);
      }
    }
    // The data of an image may be no image.
    expect(ui.complaints.filter((words) => !words.includes("ERR_INVALID_URL"))).toEqual([]);
  },
);
