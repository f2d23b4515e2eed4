// Takes back the files of the last turn that has changed some.
import type { NodeToolChanges, NodeTools } from "../codebuff-run/tools/index.ts";

/** Undefined: no turn is known that has changed a file. */
export type Undo = () => Promise<Awaited<ReturnType<NodeToolChanges["revert"]>> | undefined>;

/** The tools of a folder, and the way back from their edits. */
interface UndoableTools {
  readonly handlers: NodeTools["handlers"];
  readonly undo: Undo;
}

/** Notes the turns of the calls. `nodeTools` keeps the changes of the last 100 turns. */
export function undoable(tools: NodeTools): UndoableTools {
  const turns = new Set<string>();
  const handlers = Object.entries(tools.handlers).map(([name, handler]) => {
    const noted: typeof handler = (call, context) => {
      if (call.turnId !== undefined) turns.add(call.turnId);
      return handler(call, context);
    };
    return [name, Object.assign(noted, handler)] as const; // with its preview
  });
  const undo: Undo = async () => {
    for (const turn of [...turns].reverse()) {
      const changes = tools.changes(turn);
      if (changes.list().length === 0) {
        turns.delete(turn);
        continue;
      }
      const undone = await changes.revert();
      // What stayed can be tried again, until nothing more is taken back.
      if (undone.conflicts.length === 0 || undone.reverted.length === 0) turns.delete(turn);
      return undone;
    }
    return undefined;
  };
  return { handlers: Object.fromEntries(handlers), undo };
}
