import { program } from "../../program.mjs";

export const POST = async (request) => Response.json(await program(await request.json()));
