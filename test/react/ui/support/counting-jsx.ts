// React's JSX functions, counted: each call is an element that a render makes. `ui-page.ts` puts them in place of React's.
import * as React from "react";
import * as runtime from "react/jsx-runtime";

declare global {
  var elements: number;
}

export const Fragment = React.Fragment;

export const jsx: typeof runtime.jsx = (...given) => {
  globalThis.elements++;
  return runtime.jsx(...given);
};

export const jsxs: typeof runtime.jsxs = (...given) => {
  globalThis.elements++;
  return runtime.jsxs(...given);
};
