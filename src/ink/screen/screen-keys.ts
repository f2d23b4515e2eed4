// The keys that do the same in the composer and in dialogs.
import type { KeyRow } from "../keys.ts";

export const SCREEN_KEYS: readonly KeyRow<
  "cancel" | "interrupt" | "leave" | "search" | "reasoning" | "unfold"
>[] = [
  { keys: ["escape"], does: "cancel", says: "helpEscape" },
  { keys: ["ctrl-c"], does: "interrupt", says: "helpInterrupt" },
  { keys: ["ctrl-d"], does: "leave", says: "helpLeave" },
  { keys: ["ctrl-r"], does: "search", says: "helpSearchBegin" },
  { keys: ["ctrl-t"], does: "reasoning", says: "helpReasoning" },
  { keys: ["ctrl-o"], does: "unfold", says: "helpUnfold" },
];
