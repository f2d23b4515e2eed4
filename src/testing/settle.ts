// Waits until chains of promise reactions have run.

/** Lets chains of promise reactions run. Fifty turns is deeper than any chain between two events here. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
