// The environment variables between a test and the program `mock-acp-agent`.

/** The options of an agent without a test: JSON, or the path of a JSON file. Public. */
export const ACP_SCENARIO = "MOCK_ACP_SCENARIO";
/** The address of a `MockAcpAgent`. The process relays its stdio to it, and dies when the connection ends. */
export const ACP_ADDRESS = "MOCK_ACP_ADDRESS";
/** For the commands and children of an agent: its pid. */
export const ACP_CHILD = "MOCK_ACP_CHILD";
