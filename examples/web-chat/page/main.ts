import { App } from "./app.ts";
import { find } from "./dom.ts";
import { Entrance } from "./entrance.ts";
import { offerTheme } from "./theme.ts";

offerTheme(find(document, "#theme", HTMLButtonElement));

const entrance = new Entrance();
for (let problem: string | undefined; ; ) {
  const session = await entrance.pass(problem);
  problem = await new App(session).run();
}
