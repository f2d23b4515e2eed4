import { Text } from "ink";
import { StrictMode } from "react";
import { expect, test } from "vitest";
import { useOnce } from "../../examples/web-chat/page/use-once.ts";
import { mount, settled } from "../react/support/mount.ts";

test("`useOnce` creates its value once, in StrictMode and after rerenders", async () => {
  let made = 0;
  const Page = () => <Text>{useOnce(() => ({ number: ++made })).number}</Text>;
  const strict = (
    <StrictMode>
      <Page />
    </StrictMode>
  );
  using screen = mount(strict);
  await settled();
  screen.rerender(strict);
  await settled();
  expect([made, screen.shown]).toEqual([1, "1"]);
});
