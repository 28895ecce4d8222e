/** Queries: the list, one query as graph and JSON, and a new one. */
export { NewQueryPage } from "./NewQueryPage";
export { QueriesPage } from "./QueriesPage";
export { QueryPage } from "./QueryPage";
