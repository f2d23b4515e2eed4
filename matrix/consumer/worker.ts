// The program in workerd: answers a request that brings the addresses with its report.
import { program } from "./program.ts";

export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await program((await request.json()) as never));
  },
};
