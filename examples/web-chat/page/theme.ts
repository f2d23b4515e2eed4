const KEY = "theme";

/** Dark or light, as the system has it, until somebody chooses; a choice is kept on this machine. */
export function offerTheme(button: HTMLButtonElement): void {
  const { dataset } = document.documentElement;
  const kept = localStorage.getItem(KEY);
  if (kept !== null) dataset["theme"] = kept;
  button.addEventListener("click", () => {
    const shown = dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    const chosen = shown === "dark" ? "light" : "dark";
    dataset["theme"] = chosen;
    localStorage.setItem(KEY, chosen);
  });
}
