import { afterEach, describe, expect, test, vi } from "vitest";
import { onWake } from "../../../src/core/link/backoff-wait.ts";

/** What a page has that can be listened to. */
class Source {
  visibilityState = "hidden";
  readonly listeners: (readonly [type: string, listener: () => void])[] = [];

  readonly addEventListener = (type: string, listener: () => void): void => {
    this.listeners.push([type, listener]);
  };

  readonly removeEventListener = (type: string, listener: () => void): void => {
    const index = this.listeners.findIndex(([other, one]) => other === type && one === listener);
    if (index >= 0) this.listeners.splice(index, 1);
  };

  fire(type: string): void {
    for (const [other, listener] of [...this.listeners]) if (other === type) listener();
  }
}

/** Gives this process, for one test, what a browser's global object has. */
function browser(parts: { window?: Source; document?: Source }): void {
  const { window, document } = parts;
  if (window) {
    vi.stubGlobal("addEventListener", window.addEventListener);
    vi.stubGlobal("removeEventListener", window.removeEventListener);
  }
  if (document) vi.stubGlobal("document", document);
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("onWake", () => {
  test("calls back when the browser comes online", () => {
    const window = new Source();
    browser({ window, document: new Source() });
    const wake = vi.fn();
    onWake(wake);
    window.fire("online");
    window.fire("offline");
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test("calls back when the page becomes visible, not when it is hidden", () => {
    const document = new Source();
    browser({ window: new Source(), document });
    const wake = vi.fn();
    onWake(wake);
    document.fire("visibilitychange");
    expect(wake).not.toHaveBeenCalled();
    document.visibilityState = "visible";
    document.fire("visibilitychange");
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test("`stop()` removes its listeners, and may be called twice", () => {
    const [window, document] = [new Source(), new Source()];
    browser({ window, document });
    const stop = onWake(() => {});
    expect([window.listeners.length, document.listeners.length]).toEqual([1, 1]);
    stop();
    stop();
    expect([window.listeners, document.listeners]).toEqual([[], []]);
  });

  test("`stop()` removes its listeners even if the globals changed since", () => {
    const window = new Source();
    browser({ window });
    const stop = onWake(() => {});
    vi.unstubAllGlobals();
    stop();
    expect(window.listeners).toEqual([]);
  });

  test("works in a worker, which has no document", () => {
    const window = new Source();
    browser({ window });
    const wake = vi.fn();
    const stop = onWake(wake);
    window.fire("online");
    stop();
    expect([wake.mock.calls.length, window.listeners]).toEqual([1, []]);
  });

  test("does nothing on platforms without such events", () => {
    const wake = vi.fn();
    expect(() => onWake(wake)()).not.toThrow();
    expect(wake).not.toHaveBeenCalled();
  });
});
