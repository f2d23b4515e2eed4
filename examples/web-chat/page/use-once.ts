import { useRef } from "react";

/** What `make` returns, made once. `StrictMode` calls an initializer of `useState` twice. */
export function useOnce<T extends object>(make: () => T): T {
  const made = useRef<T | undefined>(undefined);
  made.current ??= make();
  return made.current;
}
