import { describe, expect, test } from "vitest";
import { fold } from "../../src/universal/transcript/reduce.ts";
import { Script } from "./build.ts";

const partsOf = ({ events }: Script, at = -1) => fold(events).messages.at(at)?.parts.toArray();

describe("a notice", () => {
  test.each([
    [{ severity: "warning" }, "warning"],
    [{ severity: "error" }, "error"],
    [{ severity: "info" }, "info"],
    [{ severity: "loud" }, "info"],
    [undefined, "info"],
  ])("with %j is a status with the severity %s", (json, severity) => {
    const script = new Script().session().turn("go");
    script.status("notice", "Slow today", json);
    expect(partsOf(script)).toMatchObject([
      { type: "status", label: "notice", detail: "Slow today", severity },
    ]);
  });

  test("between turns is a system message, unlike other statuses", () => {
    const script = new Script().session();
    script.status("connection.lost", null);
    script.status("notice", "Slow today", { severity: "warning" });
    const { messages } = fold(script.events);
    expect(messages.toArray()).toMatchObject([{ role: "system", status: "completed" }]);
    expect(partsOf(script)).toMatchObject([{ label: "notice", severity: "warning" }]);
  });
});

describe("a compaction", () => {
  test("becomes two statuses with texts, and its summary stays data", () => {
    const script = new Script().session().turn("go");
    script.status("compaction", null, { state: "started" });
    script.status("compaction", null, { state: "completed", summary: "We mended a.ts." });
    expect(partsOf(script)).toMatchObject([
      { label: "compaction", detail: "The history is being shortened.", json: { state: "started" } },
      {
        label: "compaction",
        detail: "The history was shortened.",
        json: { state: "completed", summary: "We mended a.ts." },
      },
    ]);
  });

  test("between turns becomes a system message", () => {
    const script = new Script().session();
    script.status("compaction", "Done by hand", { state: "completed" });
    expect(partsOf(script)).toMatchObject([{ label: "compaction", detail: "Done by hand" }]);
  });
});

test("a text part keeps the sources of its text", () => {
  const annotations = [{ url: "https://example.com/", title: "Example", start: 0, end: 4 }];
  const script = new Script().session().turn("go");
  const id = script.start({ content: [] });
  script.delta(id, "Text");
  script.complete(id, { content: [{ type: "text", text: "Text", annotations }] });
  expect(partsOf(script)).toEqual([{ type: "text", id, text: "Text", open: false, annotations }]);
});

describe("a sub-agent", () => {
  const started = (json?: unknown) => {
    const script = new Script().session().turn("go");
    script.start({
      kind: "status",
      role: null,
      content: [
        { type: "status", label: "subagent:file-picker", detail: null },
        ...(json === undefined ? [] : [{ type: "json", json } as const]),
      ],
    });
    return partsOf(script)?.[0];
  };

  test("has its type, name and prompt from its JSON", () => {
    expect(started({ agent_type: "a:b", name: "Picker", prompt: "Find it." })).toMatchObject({
      type: "subagent",
      agentType: "a:b",
      name: "Picker",
      prompt: "Find it.",
    });
  });

  test("has its name from its label in an older transcript", () => {
    expect(started()).toMatchObject({ agentType: "file-picker", name: "file-picker" });
    expect(started({ agent_id: "x" })).toMatchObject({ agentType: "file-picker", name: "file-picker" });
  });
});
