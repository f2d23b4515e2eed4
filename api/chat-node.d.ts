// agentwire/chat/node

export interface DirectoryStoreOptions {
    readonly durable?: boolean;
    readonly onProblem?: (problem: JsonlProblem & {
        readonly id: string;
    }) => void;
}

export declare function directoryStore(folder: string, options?: DirectoryStoreOptions): ChatStore;
