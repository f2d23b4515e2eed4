/** The mock of codey-server in a process of its own: what it keeps for its tests would count as the client's. */
import { codeyStep, codeyTool, MockCodeyServer } from "../../src/testing/index.ts";

const server = await MockCodeyServer.start({
  *answer({ content }) {
    yield "one ";
    if (content === "hang") yield codeyStep.hang();
    if (content === "tool")
      yield codeyStep.calls(codeyTool.shell("ls", "a.txt"), codeyTool.readFile("b.txt", "b"));
    yield "two";
  },
});
process.on("disconnect", () => process.exit());
process.send?.(server.url);
