// Buttons of a request that take no clicks within its first moment.
import { type MouseEvent, useEffect, useState } from "react";

/** ms after which a request takes clicks: a click that was meant for what stood there before decides nothing. */
const SETTLING = 300;

/**
 * Props of a group of buttons that takes no clicks within its first moment, and no second click of a double click. `request`: what the buttons
 * decide on. The keyboard does not wait: its key goes to a button that has the focus.
 */
export function useSettled(request: object) {
  const [settled, setSettled] = useState<object>();
  const isSettled = settled === request;
  useEffect(() => {
    const timer = setTimeout(() => setSettled(request), SETTLING);
    return () => clearTimeout(timer);
  }, [request]);
  const onClickCapture = (event: MouseEvent): void => {
    if (event.detail === 0 || (event.detail === 1 && isSettled)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { role: "group", "aria-disabled": !isSettled, onClickCapture } as const;
}
