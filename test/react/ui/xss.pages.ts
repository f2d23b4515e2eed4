import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isSkipped, launchChromium } from "../../docs/support/snippet-pages.ts";
import { openUi } from "./support/ui-page.ts";

let browser: Browser;
beforeAll(async () => {
  if (!isSkipped) browser = await launchChromium();
});
afterAll(() => browser?.close());

/** What an agent may write to run code in the page, or to have it ask for something. */
const PAYLOADS: readonly string[] = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<img src='https://evil.test/a.png'>",
  "<svg onload=alert(1)><script>alert(1)</script></svg>",
  "<iframe src='javascript:alert(1)'></iframe>",
  "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
  "<object data='https://evil.test/o'></object><embed src='https://evil.test/e'>",
  "<link rel=stylesheet href='https://evil.test/s.css'><style>@import 'https://evil.test/i.css'</style>",
  "<base href='https://evil.test/'><form action='https://evil.test/'><input autofocus onfocus=alert(1)></form>",
  "<details open ontoggle=alert(1)><body onload=alert(1)>",
  "<video><source onerror=alert(1)></video><audio src='https://evil.test/a.wav' autoplay></audio>",
  "<math><mtext></style><img src=x onerror=alert(1)></mtext></math>",
  '"><script>alert(1)</script>',
  "'\"><img src=x onerror=alert(1)>",
  "`${alert(1)}`",
  "{{constructor.constructor('alert(1)')()}}",
  "javascript:alert(1)",
  " javascript:alert(1)",
  "java\tscript:alert(1)",
  "JaVaScRiPt:alert(1)//https://example.com/",
  "data:text/html,<script>alert(1)</script>",
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><image href='https://evil.test/i.png'/></svg>",
  "vbscript:msgbox(1)",
  "//evil.test/a.png",
  "https://evil.test/a.png",
  "https://evil.test/a.wav",
  "[a](javascript:alert(1))",
  "[a](data:text/html,<script>alert(1)</script>)",
  "[a](<javascript:alert(1)>)",
  "![a](https://evil.test/a.png)",
  "![a](javascript:alert(1))",
  "![a](data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiLz4=)",
  "[![a](https://evil.test/a.png)](javascript:alert(1))",
  "<https://evil.test/a.png> <javascript:alert(1)>",
  "```<script>alert(1)</script>\n<img src=x onerror=alert(1)>\n```",
  "| <img src=x onerror=alert(1)> |\n| --- |\n| [a](javascript:alert(1)) |",
  "</code></pre><script>alert(1)</script>",
  "url(https://evil.test/u.png)",
  "expression(alert(1))",
  "__proto__",
];

/** A chat that has the payload in every field of every part, and in all that waits and is told. */
function show(payload: string): void {
  const p = payload;
  const base = { open: false };
  const json = { [p]: p, nested: [p] };
  const preview = [
    { path: p, diff: `@@ -1,1 +1,1 @@ ${p}\n-${p}\n+${p}\n`, by: "agent" as const, old_text: p, new_text: p },
  ];
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
  const parts = [
    { ...base, type: "text", text: p, annotations },
    {
      ...base,
      type: "text",
      text: `Words ${p} words\n\n> ${p}\n\n- ${p}\n\n# ${p}\n\n**${p}** \`${p}\` [${p}](${p}) ![${p}](${p})`,
      annotations,
    },
    { ...base, type: "reasoning", text: p, visibility: "public" },
    { ...tool, state: "done" },
    { ...tool, state: "failed", input: p },
    { ...tool, state: "done", output: "", content, kind: p },
    {
      type: "question",
      questions,
      answers: [{ question_index: 0, selected: [p], other_text: p }],
      status: "answered",
    },
    { type: "file", path: p, mediaType: p, action: "patch", diff: p },
    { type: "file", path: `data:${p}`, mediaType: p },
    { type: "file", path: `data:image/png;base64,${p}`, mediaType: p },
    { type: "status", label: p, detail: p },
    { type: "status", label: "notice", detail: p, severity: p },
    { type: "status", label: p, detail: p, failed: true, json },
    { type: "data", json },
    { type: "error", message: p, code: p },
  ].map((part, index) => ({ ...part, id: `${index} ${p}` }));
  const list = <T>(values: readonly T[]) =>
    Object.assign([...values], { toArray: () => values, toJSON: () => values });
  const all = list([
    ...parts,
    { type: "subagent", id: `sub ${p}`, agentType: p, name: p, prompt: p, state: "done", parts: list(parts) },
  ]);
  const error = { title: p, detail: p, retry: "ask" };
  const message = {
    startedAt: 0,
    endedAt: 0,
    parts: all,
    model: p,
    cost: { total: 1, currency: p },
    usage: { output_tokens: 1 },
  };
  const messages = list([
    { ...message, id: `user ${p}`, role: "user", status: "sent", error },
    { ...message, id: `answer ${p}`, role: "assistant", status: "failed", error },
    { ...message, id: `system ${p}`, role: "system", status: "completed", error },
  ]);
  const choice = { current: p, available: [{ id: p, name: p, description: p }] };
  const snapshot = {
    messages,
    connection: { status: "closed", attempt: 0, contextLost: true, reason: error },
    pending: [
      p.length % 2 === 0
        ? { type: "approval", id: p, tool: p, input: json, grant: p, agent: p, preview }
        : { type: "question", id: p, questions },
      { type: "approval", id: `${p} 2`, tool: p, input: p },
    ],
    approvals: [{ id: p, tool: p, grant: p, scope: "turn" }],
    capabilities: { branches: true, modes: true, models: true, cancelOnWire: true },
    loading: false,
    busy: false,
    queue: [{ id: p, input: p, at: 0 }],
    problem: error,
    usage: { output_tokens: 1 },
    cost: [{ total: 1, currency: p }],
    plan: [{ content: p, status: "pending", priority: "high" }],
    context: { used: 1, size: 2 },
    modes: choice,
    models: choice,
    commands: [{ name: p, description: p, hint: p }],
  };
  const nothing = () => ({ ok: true });
  const chat = new Proxy(
    { getSnapshot: () => snapshot, subscribe: () => () => {} },
    { get: (known, name) => Reflect.get(known, name) ?? nothing },
  );
  const chats = { chats: [{ id: p, title: p }], current: p, onChoice: nothing };
  // @ts-expect-error a snapshot that no backend makes
  page.show(chat, { title: p, agent: p, suggestions: [p], chats });
}

test.skipIf(isSkipped)(
  "nothing that an agent writes runs, and no request leaves, in any field of any part",
  async () => {
    await using ui = await openUi(browser);
    const { page } = ui;
    for (const payload of PAYLOADS) {
      await page.evaluate(`(${show.toString()})(${JSON.stringify(payload)}); page.settled()`);
      await page.locator(".aw-subagent").first().waitFor();
      const found = await page.evaluate<readonly string[]>(`(() => {
      for (const one of document.querySelectorAll("details")) one.open = true;
      for (const button of document.querySelectorAll(".aw-text button")) button.click();
      const all = [...document.querySelectorAll("#root *")];
      return all.flatMap((one) => [
        ...(/^(script|iframe|object|embed|style|link|base|meta|math|video|audio|source)$/.test(one.localName) ? [one.localName] : []),
        ...one.getAttributeNames().filter((name) => name.startsWith("on") || name === "style" || name === "srcdoc"),
        ...(one.localName === "a" && !/^https?:$/.test(one.protocol) ? [one.href] : []),
        ...(one.localName === "a" && one.rel !== "noopener noreferrer nofollow" ? ["rel"] : []),
        ...(one.localName === "img" && !one.src.startsWith("data:image/") ? [one.src] : []),
      ]);
    })()`);
      expect({ payload, found }).toEqual({ payload, found: [] });
    }
    await page.evaluate("page.settled()");
    expect(ui.complaints.filter((words) => !words.includes("ERR_INVALID_URL"))).toEqual([]);
  },
);
