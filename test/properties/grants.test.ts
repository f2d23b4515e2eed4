import path from "node:path/posix";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CODEBUFF_SUBJECTS } from "../../src/codebuff-events/subjects.ts";
import { subjectOf } from "../../src/core/gate/subject.ts";
import { type AskChanges, gateRig } from "../core/support/gate.ts";
import { runs } from "../helpers/runs.ts";

// Whatever the agent calls: a grant of one call decides another only if both have one tool and are about the same.

const part = fc.constantFrom("a", "A", "b", "src", ".", "..", "", "~", "a\\b", "C:");
const somePath = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const tool = fc.constantFrom(
  "run_terminal_command",
  "write_file",
  "read_files",
  "list_directory",
  "search",
  'se"arch',
);

const input = fc.oneof(
  fc.record({ command: fc.constantFrom("ls", "rm"), cwd: somePath }, { requiredKeys: ["command"] }),
  fc.record({ path: somePath, content: fc.string() }, { requiredKeys: ["path"] }),
  fc.record({ paths: fc.array(somePath, { maxLength: 2 }) }),
  fc.jsonValue({ maxDepth: 2 }),
);

const call = fc.record({
  name: tool,
  input,
  source: fc.constantFrom("", "mcp:1", "files"),
  turn: fc.constantFrom("t1", "t2"),
});

type Call = { name: string; input: unknown; source: string; turn: string };

/** What the user could think that a call is about, by other code: the place that a path leads to if nothing is a link. */
function place(given: unknown, isFile: boolean): unknown {
  if (typeof given !== "string") return ".";
  const all = path.normalize(`./${given}`).replace(/\/$/, "");
  const isAbsolute = given.startsWith("/");
  return [isAbsolute, isFile ? path.dirname(all) : all];
}

function about({ name, input: given }: Call): unknown {
  const fields = Object(given) as Record<string, unknown>;
  if (name === "run_terminal_command") return [fields["command"], place(fields["cwd"], false)];
  if (name === "write_file" || name === "list_directory") return place(fields["path"], false);
  if (name === "read_files") {
    const folders = (fields["paths"] as unknown[]).map((each) => JSON.stringify(place(each, true)));
    return [...new Set(folders)].sort();
  }
  return given;
}

test("a grant decides another call only with equal source, tool and subject, or with `tool: true`", () => {
  fc.assert(
    fc.property(
      call,
      call,
      fc.constantFrom("turn", "session"),
      fc.boolean(),
      fc.boolean(),
      (first, other, scope, isWide, isRepeated) => {
        const second = isRepeated ? { ...first, turn: other.turn } : other;
        const { gate, ask } = gateRig({ onToolApproval: "manual" }, {}, CODEBUFF_SUBJECTS);
        const asked = ({ turn, ...changes }: Call, id: string): AskChanges => ({
          ...changes,
          id,
          turnId: turn,
          turn: { status: "streaming", hold: () => () => {}, opened: () => {}, closed: () => {} },
        });
        ask(asked(first, "1"));
        const ruling = gate.decide("1", { decision: "once", scope, ...(isWide ? { tool: true } : {}) });
        const isGranted = ask(asked(second, "2")).rulings.length > 0;
        const isReadable = [first, second].every((each) => subjectOf(each, CODEBUFF_SUBJECTS));
        const isSameTool = first.name === second.name && first.source === second.source;
        const isInScope = scope === "session" || first.turn === second.turn;
        if (ruling.decision === "once" && ruling.scope === undefined) expect(isReadable).toBe(false);
        if (!isReadable || !isSameTool || !isInScope) expect(isGranted).toBe(false);
        else if (isWide) expect(isGranted).toBe(true);
        else if (isGranted) expect(about(second)).toEqual(about(first));
        else expect(isRepeated).toBe(false);
      },
    ),
    runs(3_000),
  );
});
