import { expect, test } from "vitest";
import { secretsGiven } from "../../src/codebuff-cli/credentials.ts";
import { makeEnvironment } from "../../src/codebuff-cli/environment.ts";

test("the option `env` overrides this process's environment, except for `NO_COLOR`", () => {
  const added = { PATH: "/only/here", NO_COLOR: "0", MORE: "1" };
  const { env } = makeEnvironment({ env: added, apiKey: undefined, isolateHome: false });
  expect(env).toMatchObject({ PATH: "/only/here", NO_COLOR: "1", MORE: "1" });
});

test("`PWD` and desktop variables in `env` do not count as credentials, although their names look like it", () => {
  const own = { PWD: "/srv/ubuntu/app", DESKTOP_SESSION: "ubuntu", KONSOLE_DBUS_SESSION: "/Sessions/1" };
  const given = { GITHUB_TOKEN: "hunter1", MYSQL_PWD: "hunter2", AOC_SESSION: "hunter3" };
  expect(secretsGiven({ ...own, ...given }, [])).toEqual(Object.values(given));
});
