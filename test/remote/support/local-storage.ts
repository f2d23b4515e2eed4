// The `localStorage` of a page, for one test.

/** @param items undefined: the page has no storage */
export function localStorageOf(items: Map<string, string> | undefined): Disposable {
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  const value = items && {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => void items.set(name, text),
    removeItem: (name: string) => void items.delete(name),
  };
  Object.defineProperty(globalThis, "localStorage", { value, configurable: true });
  return {
    [Symbol.dispose]: () => {
      if (before) Object.defineProperty(globalThis, "localStorage", before);
      else Reflect.deleteProperty(globalThis, "localStorage");
    },
  };
}
