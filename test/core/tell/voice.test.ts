import { afterEach, describe, expect, test, vi } from "vitest";
import { fakePair, say } from "../../helpers/codey-fake.ts";
import { unhandledDuring } from "../support/promises.ts";

// What a client writes down, and what becomes of a logger or a console that fails.

afterEach(() => void vi.restoreAllMocks());

describe("a logger", () => {
  test("whose promise rejects is reported on the console, and no rejection stays unhandled", async () => {
    const debug = vi.spyOn(console, "debug").mockImplementation(() => {});
    const log = async () => {
      throw new Error("disk full");
    };
    const made = await fakePair({ logger: { debug: log, info: log, warn: log, error: log } });
    expect(await unhandledDuring(async () => made.says({ type: "Bogus" }))).toEqual([]);
    expect(debug).toHaveBeenCalledWith("agentwire: the logger threw: Error: disk full");
  });
});

describe("with `debug` and no logger", () => {
  test("frames are printed on the console after they are handled", async () => {
    const made = await fakePair({ debug: true });
    const seen: string[] = [];
    vi.spyOn(console, "debug").mockImplementation((line) => {
      if (String(line).includes("TextDelta")) seen.push(turn.text);
    });
    const turn = made.client.prompt("x");
    made.says(say.text("hello"));
    expect(seen).toEqual(["hello"]);
  });

  test("a console that throws does not lose a frame", async () => {
    const made = await fakePair({ debug: true });
    vi.spyOn(console, "debug").mockImplementation(() => {
      throw new Error("no console");
    });
    const turn = made.client.prompt("x");
    made.says(say.text("hello"));
    expect(turn.text).toBe("hello");
  });
});
