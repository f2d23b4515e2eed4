// A hook for components that take keys, also where keys cannot be read.
import { useInput, useStdin } from "ink";
import { useEffect, useReducer, useRef } from "react";
import { type Press, pressesOf } from "../press.ts";
import { SETTLING, TYPING_PAUSE } from "../screen/open-dialog.ts";

/** What stands on the screen where keys cannot be read. */
export const NO_KEYS = "There is no terminal to type on.";

/** The keys of a component. */
export interface KeyProps {
  /** Whether it takes keys. @default true */
  readonly isActive?: boolean;
  /** Ctrl-C, where the component does nothing with it. */
  readonly onInterrupt?: () => void;
  /** Esc, where the component does nothing with it. */
  readonly onEscape?: () => void;
}

/**
 * State that keys change. It is read and changed outside of rendering, so that no key is lost when keys come faster than renders.
 * `onPress` gets the state of now, and a function that sets it; what is
 * returned is the state, and a function that changes it. Without a terminal to type on there are no keys. Ctrl-C goes to `onInterrupt`, if it
 * is given.
 */
export function useKeys<State>(
  initial: State,
  { isActive = true, onInterrupt }: Pick<KeyProps, "isActive" | "onInterrupt">,
  onPress: (press: Press, state: State, set: (next: State) => void) => void,
): readonly [state: State, change: (step: (state: State) => State) => void] {
  const current = useRef(initial);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const canType = useCanType();
  const set = (next: State): void => {
    current.current = next;
    render();
  };
  useInput(
    (input, key) => {
      for (const press of pressesOf(input, key)) {
        if (onInterrupt && press.type === "key" && press.key === "ctrl-c") onInterrupt();
        else onPress(press, current.current, set);
      }
    },
    { isActive: isActive && canType },
  );
  return [current.current, (step) => set(step(current.current))];
}

/** Whether keys can be read: not where the input is a pipe or a file. */
export function useCanType(): boolean {
  return useStdin().isRawModeSupported;
}

/** Words in place of the choices of a dialog, where it takes no keys. */
export function insteadOf(
  isActive: boolean,
  canType: boolean,
  isOffered: boolean,
): { readonly instead?: string } {
  if (isActive && !canType) return { instead: NO_KEYS };
  return isOffered ? {} : { instead: "..." };
}

export interface Offer {
  /** Whether the choices are shown. */
  readonly isOffered: boolean;
  /** Whether a key may be taken: the choices are on the screen. */
  readonly takesKeys: () => boolean;
  /** No key is taken until `of` changes: more keys may have come with the last one. */
  readonly pause: () => void;
  /** A key came that is none of the dialog, or came too early: the choices are offered again once the user pauses. */
  readonly withdraw: () => void;
}

/**
 * When a dialog offers its choices and takes keys: a moment after it has appeared, and after each change of `of`. The key that sent the
 * prompt, or answered the question before, may be pressed twice.
 */
export function useOffer(of: string | number, isActive: boolean): Offer {
  const [strays, countStray] = useReducer((count: number) => count + 1, 0);
  const [, render] = useReducer((count: number) => count + 1, 0);
  const offered = useRef<string>(undefined);
  const key = `${strays} ${of}`;
  const wait = strays === 0 ? SETTLING : TYPING_PAUSE;
  useEffect(() => {
    if (!isActive) return;
    const timer = setTimeout(() => {
      offered.current = key;
      render();
    }, wait);
    return () => {
      clearTimeout(timer);
      offered.current = undefined;
    };
  }, [key, wait, isActive]);
  return {
    isOffered: !isActive || offered.current === key,
    takesKeys: () => offered.current === key,
    pause: () => {
      offered.current = undefined;
    },
    withdraw: () => {
      offered.current = undefined;
      countStray();
    },
  };
}
