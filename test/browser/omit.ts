import { beforeEach } from "vitest";
import { omits } from "./omissions.ts";

beforeEach(({ task, skip }) => {
  const row = omits(task.file.name, task.name);
  if (row) skip(row.reason);
});
