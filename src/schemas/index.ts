export { eventDataSchemas } from "./data.ts";
export { universalEventSchema } from "./event.ts";
export { contentPartSchema, universalItemSchema } from "./item.ts";
export { universalEventJsonSchema } from "./json-schema.ts";
