const KEY = "theme";

/** Dark or light, as the system has it, until somebody chooses. A choice is kept on this machine. */
export function restoreTheme(): void {
  const kept = localStorage.getItem(KEY);
  if (kept !== null) document.documentElement.dataset["theme"] = kept;
}

export function switchTheme(): void {
  const { dataset } = document.documentElement;
  const shown = dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const chosen = shown === "dark" ? "light" : "dark";
  dataset["theme"] = chosen;
  localStorage.setItem(KEY, chosen);
}
