/** µs of CPU that this process spends on `work`, on all its threads, so collecting garbage and compiling count. */
export async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Starts from a clean heap, so that nobody pays for what the one before left. */
export function collectGarbage(): void {
  if (!globalThis.gc) throw new Error("run it with --expose-gc");
  globalThis.gc();
}
