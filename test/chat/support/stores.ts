import { type FileHandle, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";

/** A folder that is removed in the end. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "agentwire-store-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Until it is mended, each write of this process takes `takes` bytes, and fails with `code`. */
export async function brokenDisk(folder: string, code: string, takes = 0): Promise<{ mend(): void }> {
  const probe = join(folder, "probe");
  await writeFile(probe, "");
  const handle = await open(probe);
  const prototype: { write(bytes: Uint8Array): Promise<unknown> } = Object.getPrototypeOf(handle);
  await handle.close();
  await rm(probe);
  const { write } = prototype;
  const spy = vi.spyOn(prototype, "write").mockImplementation(async function (this: FileHandle, bytes) {
    if (takes > 0) await write.call(this, bytes.subarray(0, takes));
    throw Object.assign(new Error(`${code}: write`), { code });
  });
  return { mend: () => spy.mockRestore() };
}
