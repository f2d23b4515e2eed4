import { readdirSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { doorWorld, GUARDS, reasonOf } from "./world.ts";

/** What a call answers where the file system does not have it. */
function refuseCall(code: string): never {
  throw Object.assign(new Error(code), { code, syscall: "link" });
}

vi.mock("node:fs", async (original) => ({
  ...(await original<typeof import("node:fs")>()),
  linkSync: () => refuseCall("EPERM"),
}));

test.each(GUARDS)(
  "file guard %s: creates a file without hard link support, and overwrites none",
  async (guard) => {
    await using world = await doorWorld({ guard });
    await world.door.writeFile("a", Buffer.from("new"), { replaces: undefined });
    expect(world.text("a")).toBe("new");
    expect(await reasonOf(world.door.writeFile("a", Buffer.from("x"), { replaces: undefined }))).toBe(
      "exists",
    );
    const results = await Promise.allSettled(
      ["1", "2", "3", "4"].map((text) =>
        world.door.writeFile("b", Buffer.from(text), { replaces: undefined }),
      ),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(readdirSync(world.root)).toEqual(["a", "b"]);
  },
);
