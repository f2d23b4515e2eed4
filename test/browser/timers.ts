// What stands for `node:timers/promises` in a page.

/** Resolves once the tasks that wait have run. Unlike a timer, a message is not held back. */
export function setImmediate(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}
