import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { restoreTheme } from "./theme.ts";

restoreTheme();
const root = document.querySelector("#root");
if (!root) throw new TypeError("the page has no #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
