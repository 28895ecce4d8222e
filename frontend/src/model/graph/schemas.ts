/** The fields and types after each node whose inputs are valid. */
export type Schemas = Readonly<Record<string, Readonly<Record<string, string>>>>;
