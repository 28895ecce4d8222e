/** Queries: the list, the editor, and a new query. */
export { NewQueryPage } from "./NewQueryPage";
export { QueriesPage } from "./QueriesPage";
export { QueryPage } from "./QueryPage";
