import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, type AppProps } from "./app.tsx";
import { restoreTheme } from "./theme.ts";
import "./style.css";
import "./entrance.css";
import "./frame.css";
import "./composer.css";
import "./messages.css";
import "./parts.css";
import "./requests.css";
import "./avatar.css";

/** Shows the page, over these backends. */
export function showPage(props: AppProps): void {
  restoreTheme();
  const root = document.querySelector("#root");
  if (!root) throw new TypeError("the page has no #root");
  createRoot(root).render(
    <StrictMode>
      <App {...props} />
    </StrictMode>,
  );
}
