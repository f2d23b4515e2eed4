/** The method by which Node's `console.log` shows an object. A name of Node, and no import of it. */
export const INSPECT: unique symbol = /* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom");
