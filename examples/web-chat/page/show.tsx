import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, type AppProps } from "./app.tsx";
import "agentwire/react/ui.css";
import "./page.css";
import "./avatar.css";

/** Shows the page, over these backends. */
export function showPage(props: AppProps): void {
  const root = document.querySelector("#root");
  if (!root) throw new TypeError("the page has no #root");
  createRoot(root).render(
    <StrictMode>
      <App {...props} />
    </StrictMode>,
  );
}
