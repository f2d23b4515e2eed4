/**
 * The mock server in a process of its own: what it records of a thousand turns is not to be taken for the client's.
 * It tells its address, and cuts every connection when told to.
 */
import { MockCodebuffServer, step } from "../../src/testing/index.ts";

const profile = process.argv[2] === "codebuff" ? "codebuff" : "proxy";

const server = await MockCodebuffServer.start({
  profile,
  heartbeat: false,
  *answer({ data }) {
    yield "one ";
    yield "two ";
    // A prompt that is to be cancelled must not be over before.
    if (data.prompt === "hang") yield step.hang();
    else yield "three";
  },
});
process.on("message", () => server.dropAll());
process.on("disconnect", () => process.exit());
process.send?.(server.url);
