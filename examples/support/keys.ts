const CTRL_C = "\u0003";

/** Obeys the keys until q, Ctrl-C or a signal. Without a terminal the same letters are read from the standard input. */
export async function untilEnd(keys: Readonly<Record<string, () => void>> = {}): Promise<void> {
  const { stdin } = process;
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const onKeys = (typed: string): void => {
    for (const key of typed) {
      if (key === "q" || key === CTRL_C) end();
      else if (Object.hasOwn(keys, key)) keys[key]?.();
    }
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  // A raw terminal hands out keys one by one, Ctrl-C among them.
  if (stdin.isTTY) stdin.setRawMode(true);
  stdin.removeAllListeners("end"); // Vite would end with it, and a service or a pipe has none
  stdin.setEncoding("utf8").on("data", onKeys);
  await ended;
  stdin.off("data", onKeys).pause();
  if (stdin.isTTY) stdin.setRawMode(false);
}
