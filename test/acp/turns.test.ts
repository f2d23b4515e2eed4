import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AcpClient, type AcpOptions } from "agentwire/acp";
import { nodeTools } from "agentwire/codebuff-run/tools";
import { acpStep, ManualClock, MockAcpAgent } from "agentwire/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { world } from "./support/agent.ts";
import { playAcpChapter } from "./support/turns/chapter.ts";

/** Of `npm run full -- acp-turns`, which plays 100,000 turns. */
const SEED = 20_261_127;
const CHAPTERS = 32;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "acp-turns-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(Array.from({ length: CHAPTERS / 4 }, (_, index) => index * 4))(
  "random turns on the mock agree with what the user sees: chapters from %i",
  async (from) => {
    for (let chapter = from; chapter < from + 4; chapter++) {
      const { findings, counts } = await playAcpChapter(SEED, chapter, folder);
      expect({ chapter, findings }).toEqual({ chapter, findings: [] });
      expect(counts.turns).toBeGreaterThan(0);
    }
  },
);

describe("found by random turns:", () => {
  const clientOf = (agent: MockAcpAgent, options: Partial<AcpOptions> = {}): AcpClient =>
    new AcpClient({ createStream: () => agent.connect(), mode: false, ...options });

  test("a request that is read after the agent's input was closed breaks nothing", async () => {
    const call = { title: "Run", kind: "execute" } as const;
    await using agent = new MockAcpAgent({
      askOrder: "parallel",
      answer: [acpStep.calls(call, call, call, call)],
    });
    const client = clientOf(agent, { onToolApproval: "manual" });
    const turn = client.prompt("go");
    const closed = new Promise<void>((resolve) => {
      client.on("approval", () => void client.close({ force: true }).then(resolve));
    });
    expect(await turn.outcome).toMatchObject({ error: { code: "closed" } });
    await closed;
  });

  test("an agent that has ended leaves no timer of its end", async () => {
    await using agent = new MockAcpAgent({ stdinEnd: "ignores" });
    const clock = new ManualClock();
    const client = clientOf(agent, { clock });
    await client.prompt("go").result;
    const closed = client.close();
    await agent.waitFor(({ links }) => links[0]?.inputEnded);
    await clock.advance(2_500); // SIGTERM was sent
    agent.links[0]?.die({ exit: 0 });
    await closed;
    expect(clock.pending).toBe(0);
  });

  test("a refused `load()` of an open session leaves the session as it is", async () => {
    await using agent = new MockAcpAgent({ load: "error" });
    const talk = clientOf(agent).conversation();
    await talk.prompt("one").result;
    await expect(talk.load()).rejects.toMatchObject({ code: "request-refused" });
    expect((await talk.prompt("two").result).text).toBe("You said: two");
  });

  test("a prompt during `load()` waits for it, and keeps its text", async () => {
    let isLoaded = (): void => {};
    await using w = world({
      capabilities: { loadSession: true },
      answers: {
        "session/load": ({ id }, agent) => {
          isLoaded = () => agent.send({ id, result: {} });
        },
      },
    });
    const talk = w.client.conversation();
    await talk.prompt("one").result;
    const loaded = talk.load();
    const turn = talk.prompt("two");
    await vi.waitFor(() => expect(w.agent.methods()).toContain("session/load"));
    await expect(talk.load()).rejects.toMatchObject({ code: "invalid-input" });
    expect(w.agent.methods().filter((method) => method === "session/prompt")).toHaveLength(1);
    isLoaded();
    await loaded;
    expect((await turn.result).text).toBe("ok");
  });

  test("a mode is set once `load()` has opened the session", async () => {
    await using agent = new MockAcpAgent();
    const first = clientOf(agent);
    const talk = first.conversation();
    await talk.prompt("one").result;
    await first.close();
    const later = clientOf(agent).conversation({ from: talk.state });
    const loaded = later.load();
    await Promise.all([loaded, later.setMode("auto")]);
    expect(later.session?.modes?.current).toBe("auto");
    expect(agent.violations).toEqual([]);
  });

  test("nothing is sent to an agent that lists or deletes no sessions", async () => {
    await using agent = new MockAcpAgent({ profile: "gemini" });
    const client = clientOf(agent);
    await expect(client.sessions()).rejects.toMatchObject({ code: "request-refused" });
    await expect(client.deleteSession("a")).rejects.toMatchObject({ code: "request-refused" });
    expect(agent.violations).toEqual([]);
  });

  test("a preview that takes too long, or fails, is a warning", async () => {
    const tools = nodeTools({ root: folder });
    const previews = [() => new Promise<never>(() => {}), () => Promise.reject(new Error("disk"))];
    const handler = Object.assign(tools.handlers["write_file"] ?? expect.unreachable(), {
      preview: () => previews.pop()?.(),
    });
    await using agent = new MockAcpAgent({
      answer: [acpStep.write(join(folder, "a.txt"), "a"), acpStep.write(join(folder, "b.txt"), "b")],
    });
    const clock = new ManualClock();
    const client = clientOf(agent, {
      clock,
      cwd: folder,
      files: { ...tools, handlers: { ...tools.handlers, write_file: handler } },
      onToolApproval: "manual",
    });
    const warnings: string[] = [];
    client.on("protocolWarning", ({ message }) => warnings.push(message));
    client.on("approval", ({ id }) => void client.decide(id, true));
    const turn = client.prompt("go");
    await agent.waitFor(({ requests }) => requests.length === 2);
    await vi.waitFor(() => expect(clock.next).toBe(2_000));
    await clock.advance(2_000);
    const result = await turn.result;
    expect(result).not.toHaveProperty("isEmpty"); // it has calls, and no word
    expect(warnings).toEqual([
      "the preview of fs/write_text_file failed: Error: disk",
      "the preview of fs/write_text_file took more than 2000 ms",
    ]);
  });
});
