import { expect, test } from "vitest";
import { type Installed, withPeers } from "../../src/ink/peers.ts";

const installed = (react: string, ink?: string): Installed => ({
  react: async () => react,
  ink: async () => ink,
});
const fails = (message: string) => async () => {
  throw new Error(message);
};
const needs = (peer: "ink" | "react", found: string): string => {
  const oldest = { ink: "8.0", react: "19.3" }[peer];
  return `agentwire/ink needs the package \`${peer}\`, version ${oldest} or later, and ${found}. Run \`npm install ink@8 react@19\`.`;
};

test.each(["19.3.0", "19.3.0-canary-0bdb9206", "20.0.0"])("React %s is new enough", async (react) => {
  expect(await withPeers(async () => "loaded", installed(react))).toBe("loaded");
});

test.each(["19.1.0", "18.3.1"])("React %s is refused before Ink is loaded", async (react) => {
  const loaded = withPeers(fails("Ink was loaded"), installed(react));
  await expect(loaded).rejects.toMatchObject({
    code: "unsupported",
    message: needs("react", `this is ${react}`),
  });
});

test.each(["7.1.0", "6.0.0"])("Ink %s is refused, even if it has all imported names", async (ink) => {
  const loaded = withPeers(async () => "loaded", installed("19.3.0", ink));
  await expect(loaded).rejects.toMatchObject({
    code: "unsupported",
    message: needs("ink", `this is ${ink}`),
  });
});

test.each(["8.0.0", "9.1.0", undefined])("Ink %s is accepted", async (ink) => {
  expect(await withPeers(async () => "loaded", installed("19.3.0", ink))).toBe("loaded");
});

test.each([
  ["Cannot find package 'ink' imported from /app/chat.mjs", "ink", "it is not installed"],
  ["Cannot find package 'react' imported from /app/chat.mjs", "react", "it is not installed"],
  ["The requested module 'ink' does not provide an export named 'usePaste'", "ink", "this is 6.1.0"],
  ["The requested module 'react' does not provide an export named 'x'", "react", "this is an older one"],
] as const)("%s: the error names %s, and %s", async (thrown, peer, found) => {
  const loaded = withPeers(fails(thrown), installed("19.3.0", "6.1.0"));
  await expect(loaded).rejects.toThrow(needs(peer, found));
});

test("any other error is passed on unchanged", async () => {
  await expect(withPeers(fails("boom"), installed("19.3.0"))).rejects.toThrow(/^boom$/);
});
