import { useState } from "react";
import { keep, readKept } from "./browser-storage.ts";

const KEY = "theme";

export type Theme = "light" | "dark";

/** Dark or light; undefined, as the system has it, until somebody chooses. A choice is kept on this machine. */
export function useTheme(): readonly [theme: Theme | undefined, change: () => void] {
  const [theme, setTheme] = useState<Theme | undefined>(() => {
    const kept = readKept("localStorage", KEY);
    return kept === "dark" || kept === "light" ? kept : undefined;
  });
  const change = (): void => {
    const shown = theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    const chosen = shown === "dark" ? "light" : "dark";
    setTheme(chosen);
    keep("localStorage", KEY, chosen);
  };
  return [theme, change];
}
