import TwoslashFloatingVue from "@shikijs/vitepress-twoslash/client";
import "@shikijs/vitepress-twoslash/style.css";
import DefaultTheme from "vitepress/theme";

/** VitePress as it is, with the types of the code under the pointer. */
export default {
  extends: DefaultTheme,
  enhanceApp({ app }: { app: { use(plugin: unknown): void } }) {
    app.use(TwoslashFloatingVue);
  },
};
