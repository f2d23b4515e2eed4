// agentwire/schemas

export declare const contentPartSchema: z.ZodMiniType<ContentPart, unknown, z.core.$ZodTypeInternals<ContentPart, unknown>>;

export declare const eventDataSchemas: {
    readonly [Type in UniversalEventType]: z.ZodMiniType<DataOf<Type>>;
};

export declare const universalEventJsonSchema: Readonly<Record<string, unknown>>;

export declare const universalEventSchema: z.ZodMiniType<UniversalEvent, unknown, z.core.$ZodTypeInternals<UniversalEvent, unknown>>;

export declare const universalItemSchema: z.ZodMiniType<UniversalItem, unknown, z.core.$ZodTypeInternals<UniversalItem, unknown>>;
