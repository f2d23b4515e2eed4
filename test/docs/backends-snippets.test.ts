import { fold } from "agentwire/universal";
import { expect, test } from "vitest";
import { translated } from "../../docs/snippets/backends.ts";
import { capturedOutput } from "../helpers/captured-output.ts";

const output = capturedOutput();

test("the mapping of docs/backends.md makes a transcript without problems", () => {
  const transcript = fold(translated());
  const texts = [...transcript.messages].map(({ role, parts }) => [
    role,
    ...[...parts].map((part) => (part.type === "text" ? part.text : part.type)),
  ]);
  expect(texts).toEqual([
    ["user", "Hello"],
    ["assistant", "Hi!"],
  ]);
  expect(output.logged).toEqual([[8, []]]);
});
