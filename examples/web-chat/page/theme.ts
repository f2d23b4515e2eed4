import { keep, readKept } from "./browser-storage.ts";

const KEY = "theme";

/** Dark or light, as the system has it, until somebody chooses. A choice is kept on this machine. */
export function restoreTheme(): void {
  const kept = readKept("localStorage", KEY);
  if (kept !== null) document.documentElement.dataset["theme"] = kept;
}

export function switchTheme(): void {
  const { dataset } = document.documentElement;
  const shown = dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const chosen = shown === "dark" ? "light" : "dark";
  dataset["theme"] = chosen;
  keep("localStorage", KEY, chosen);
}
