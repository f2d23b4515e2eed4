// Waits until pending promise reactions have run.

/** Lets promise reactions run. Fifty rounds exceed the longest chain between two events here. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
