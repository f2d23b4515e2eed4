import { inspect } from "node:util";

/** All that an error shows to whoever logs it, in one text: also what hangs on its causes. */
export function everythingIn(thrown: unknown): string {
  const shown = [inspect(thrown, { depth: null, showHidden: true }), String(thrown), JSON.stringify(thrown)];
  if (thrown instanceof Error) {
    const hidden = Object.getOwnPropertyNames(thrown).map((name) => inspect(Reflect.get(thrown, name)));
    shown.push(thrown.message, thrown.stack ?? "", ...hidden);
    if (thrown.cause !== undefined) shown.push(everythingIn(thrown.cause));
  }
  return shown.join("\n");
}
