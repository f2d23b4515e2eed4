/** The mock of Cass in a process of its own: what it keeps for its tests would count as the client's. */
import { cassStep, MockCassServer } from "../../src/testing/index.ts";

const server = await MockCassServer.start({
  profile: "v2",
  *answer({ message }) {
    if (message === "cut") yield { kind: "die", by: "drop" };
    if (message === "fails") yield cassStep.fail("no model");
    yield "Hello! <gesture:wave>";
  },
});
const { accessToken } = server.addUser();
process.on("disconnect", () => process.exit());
process.send?.({ url: server.url, token: accessToken });
