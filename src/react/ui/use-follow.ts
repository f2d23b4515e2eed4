// Keeps what is said at its end while it grows.
import { type RefObject, useCallback, useEffect, useRef } from "react";

/** px from the end of the log within which the log follows what is said. */
const NEAR = 120;

export interface Following {
  readonly log: RefObject<HTMLElement | null>;
  /** What grows in the log. */
  readonly content: RefObject<HTMLDivElement | null>;
  /** Goes to the end, and follows again. */
  follow(): void;
}

/** Keeps a log at its end while it grows, unless somebody reads further up: then the log has `data-away`. */
export function useFollow(): Following {
  const log = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const follow = useCallback(() => {
    follows.current = true;
    log.current?.removeAttribute("data-away");
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, []);
  useEffect(() => {
    const element = log.current;
    if (!element || !content.current) return;
    let last = 0;
    const onScroll = (): void => {
      const { scrollHeight, scrollTop, clientHeight } = element;
      // What grows faster than the log scrolls is no wish to read further up: that one moves up.
      const isNear = scrollHeight - scrollTop - clientHeight < NEAR;
      if (isNear || scrollTop < last) follows.current = isNear;
      element.toggleAttribute("data-away", !follows.current); // no render
      last = scrollTop;
    };
    // Whatever makes what is said longer, or the window smaller.
    const sizes = new ResizeObserver(() => {
      if (follows.current) element.scrollTo({ top: element.scrollHeight });
    });
    element.addEventListener("scroll", onScroll);
    sizes.observe(element);
    sizes.observe(content.current);
    return () => {
      element.removeEventListener("scroll", onScroll);
      sizes.disconnect();
    };
  }, []);
  return { log, content, follow };
}
